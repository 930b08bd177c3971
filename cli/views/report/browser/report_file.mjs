// What is in a report's file, read without a browser.

import fs from 'node:fs';

// The number of the first method whose name contains this; of no name, the first one with bytecode.
export function methodNumber(report, wanted) {
  const data = JSON.parse(fs.readFileSync(report, 'utf8').split('id="data">')[1].split('</script>')[0]);
  const name = (row) => `${data.types[row[1][0]]}.${row[0]}`;
  return Math.max(0, data.methods.findIndex((row) => (wanted ? name(row).includes(wanted) : row.length > 7)));
}
