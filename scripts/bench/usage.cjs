// Loaded with `--require` into a process that is measured: at its end, it says what the process used.
const { writeFileSync } = require('node:fs');

process.on('exit', () => writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(process.resourceUsage())));
