// Loaded with `--require` into every measured process: reports over IPC the resources that the process has used so far.
const cluster = require('node:cluster');
const { readFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { getHeapStatistics } = require('node:v8');

const RESOLUTION_MS = 1;
const MICROSECONDS_PER_TICK = 10_000;
const PAGE_BYTES = 4096;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

/** Returns what the workers of a gateway have used. Their channel is that of the gateway, so Linux is asked (proc_pid_stat(5)). */
function usageOfWorkers() {
  const usage = { cpuMicroseconds: 0, residentBytes: 0 };
  for (const worker of Object.values(cluster.workers ?? {})) {
    const fields = readFileSync(`/proc/${worker.process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    usage.cpuMicroseconds += (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
    usage.residentBytes += Number(fields[21]) * PAGE_BYTES;
  }
  return usage;
}

function answerUsage() {
  const workers = usageOfWorkers();
  const { user, system } = process.cpuUsage();
  const loopMax = delay.max / 1e6 - RESOLUTION_MS;
  const loopP999 = delay.percentile(99.9) / 1e6 - RESOLUTION_MS;
  // Of the main thread; Node before 26 does not count it. Workers do not report it.
  const allocatedBytes = getHeapStatistics().total_allocated_bytes ?? Number.NaN;
  delay.reset();
  // Its timer costs a process that nobody asks: from the first question on.
  delay.enable();
  const cpuMicroseconds = user + system + workers.cpuMicroseconds;
  const residentBytes = process.memoryUsage.rss() + workers.residentBytes;
  process.send({ cpuMicroseconds, residentBytes, allocatedBytes, loopMax, loopP999 });
}

// A worker inherits this file. Without a reference to its channel, it would end before its primary process has answered.
if (cluster.isPrimary) {
  process.on('message', (message) => {
    if (message === 'usage') answerUsage();
  });
  // A benchmark that was killed must leave no servers running.
  process.on('disconnect', () => process.exit());
  process.channel?.unref();
}
