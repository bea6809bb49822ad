// Loaded with `--require` into every measured process: reports over IPC the resources that the process has used so far.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

process.on('message', (message) => {
  if (message === 'usage') {
    const { user, system } = process.cpuUsage();
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    const loop = { p99: delay.percentile(99) / 1e6 - RESOLUTION_MS, max: delay.max / 1e6 - RESOLUTION_MS };
    delay.reset();
    // Its timer costs a process that nobody asks: from the first question on.
    delay.enable();
    process.send({ cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss(), peakBytes, loop });
  }
  if (message === 'live heap') {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    process.send(process.memoryUsage().heapUsed);
  }
});
// A benchmark that was killed must leave no servers running.
process.on('disconnect', () => process.exit());
process.channel?.unref();
