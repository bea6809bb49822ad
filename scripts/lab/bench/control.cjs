// Loaded with `--require` into every measured process: reports over IPC the resources that the process has used so far.
const { monitorEventLoopDelay } = require('node:perf_hooks');

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  const loopMax = delay.max / 1e6 - RESOLUTION_MS;
  delay.reset();
  // Its timer costs a process that nobody asks: from the first question on.
  delay.enable();
  process.send({ cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss(), loopMax });
});
// A benchmark that was killed must leave no servers running.
process.on('disconnect', () => process.exit());
process.channel?.unref();
