// The button "Compare with…", and dropping a file anywhere on the page: both take an older profile.

import { element } from './dom.js';
import { readProfileFile } from './dropped_profile.js';

// `chosen(name, profile)` is called with each profile that could be read. Returns elements for the head of the page.
export function createCompareControl(chosen) {
  const status = element('span', {role: 'status', class: 'dim'});
  const input = element('input', {type: 'file', hidden: true, 'aria-label': 'An older profile', accept: '.iprof,.gz,.json', onchange: () => take(input.files)});
  const button = element('button', {type: 'button', class: 'quiet', title: 'An older profile, .iprof; you can also drop it on the page', onclick: () => input.click()}, 'Compare with…');

  async function take([file]) {
    if (!file) return;
    status.textContent = `reads ${file.name}`;
    input.value = '';
    try {
      const {profile, problem} = await readProfileFile(file);
      if (profile) chosen(file.name, profile);
      status.textContent = problem ?? '';
    } catch {  // no JSON, other JSON, or stacks of a depth that no thread has
      status.textContent = `${file.name} is no profile that this page can read.`;
    }
  }

  const hasFile = (event) => event.dataTransfer?.types.includes('Files');
  document.addEventListener('dragover', (event) => { if (hasFile(event)) event.preventDefault(); });
  document.addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });
  return [button, input, status];
}
