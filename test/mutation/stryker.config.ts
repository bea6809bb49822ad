import { MUTATED } from './files.ts';

/** Mutates each file in every place at which Stryker can, one after the other, and fails where tests notice too few of them. */
export default {
  mutate: MUTATED.map(({ file }) => file),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  thresholds: { high: 95, low: 90, break: 85 },
  // A busy machine is slow: that must not count as a mutant that was noticed.
  timeoutMS: 20_000,
  tempDirName: '.cache/mutation',
  ignorePatterns: ['/.cache', '/.ci', '/deploy', '/docs', '/generated', '/specs', '/test/golden'],
  // Tests run the TypeScript as it is, which needs no tsconfig and no comments against type errors.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: '.cache/mutation.html' },
};
