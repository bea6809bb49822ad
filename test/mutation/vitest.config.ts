import { defineConfig } from 'vitest/config';
import { MUTATED } from './files.ts';

/** Only the tests of the mutated files: a mutant runs those that reach it. */
export default defineConfig({
  test: { include: MUTATED.flatMap(({ tests }) => tests), pool: 'forks', isolate: false, testTimeout: 20_000 },
});
