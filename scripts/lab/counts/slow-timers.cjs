// Loaded with `--require` into a gateway whose instructions are counted: what it does once a second it does hardly ever, so that a slow machine counts the same.
const MAX_MS = 2 ** 31 - 1;

for (const name of ['setTimeout', 'setInterval']) {
  const set = globalThis[name];
  globalThis[name] = (work, ms, ...args) => set(work, ms < 100 ? ms : Math.min(ms * 1000, MAX_MS), ...args);
}
