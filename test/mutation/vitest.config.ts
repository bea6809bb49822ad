import { defineConfig } from 'vitest/config';
import { MUTATED } from './files.ts';

/** The tests of the files that are mutated, and no others: a mutant runs those of them that reach it. */
export default defineConfig({
  test: { include: MUTATED.flatMap(({ tests }) => tests), pool: 'forks', isolate: false, testTimeout: 20_000 },
});
