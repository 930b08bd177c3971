/** @externs */ /** @param {string} text */ function print(text) {}
