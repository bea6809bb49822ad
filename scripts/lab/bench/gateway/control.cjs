// Loaded with `--require` into every measured process: reports over IPC the resources that the process has used so far.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

process.on('message', (message) => {
  if (message === 'usage') {
    const { user, system } = process.cpuUsage();
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    process.send({ cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss(), peakBytes });
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
