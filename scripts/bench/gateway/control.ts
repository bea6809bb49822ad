/** Preloaded into every process that is measured: says on request what the process has used so far. */

import type { Usage } from './server-process.ts';

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() } satisfies Usage);
});
// A benchmark that was killed leaves no servers behind.
process.on('disconnect', () => process.exit());
process.channel?.unref();
