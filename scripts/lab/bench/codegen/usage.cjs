// Loaded with `--require` into a measured process: reports the resources that the process used when it exits.
const { writeFileSync } = require('node:fs');

process.on('exit', () => writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(process.resourceUsage())));
