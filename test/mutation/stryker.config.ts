import { MUTATED } from './files.ts';

/** Mutates each file at every place that Stryker supports, and fails if tests kill too few mutants. */
export default {
  mutate: MUTATED.map(({ file }) => file),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  thresholds: { high: 95, low: 90, break: 85 },
  // A busy machine is slow; that must not count as a killed mutant.
  timeoutMS: 20_000,
  tempDirName: '.cache/mutation',
  ignorePatterns: ['/.cache', '/.ci', '/deploy', '/docs', '/generated', '/specs', '/test/golden'],
  // Node runs the TypeScript as it is: no tsconfig and no comments against type errors are needed.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: '.cache/mutation.html' },
};
