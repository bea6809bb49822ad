/** The scripts of package.json that are not commands of the package: for people who work on the project. */

import type { Command } from 'commander';
import type manifest from '../../package.json';

type Script = keyof typeof manifest.scripts;

/** A command describes itself in its help; anything else needs a sentence. */
type Said = string | (() => Promise<Command>);

export const DEVELOPMENT_SCRIPTS: Readonly<Partial<Record<Script, Said>>> = {
  test: 'Runs the quick tests, in a minute or two. `npm test -- test/x.test.ts` runs one file.',
  'test:all': 'Runs every test that needs nothing but npm.',
  check: 'Checks types, lint, generated files and reference pages, then runs `npm test`.',
  'check:static': async () => (await import('../check/command.ts')).createStaticChecksCommand(),
  typecheck: 'Checks types, those of `generated/` too.',
  tsc: 'Runs the compiler with the arguments that follow `--`.',
  lint: 'Checks formatting and lint rules.',
  format: 'Formats files, and fixes what lint can fix.',
  docs: 'Writes the pages of `docs/reference/` that are made from code, and the JSON Schema of connector.yaml. `-- --check` only compares.',
  'partner-client': async () => (await import('../partner-client/command.ts')).createPartnerClientCommand(),
  package: async () => (await import('../package/command.ts')).createPackageCommand(),
  release: 'Names the unreleased changes, commits and tags: `npm run release -- minor`, or `patch`.',
  preversion: 'A step of `release`: checks that there is something to release, and that all checks pass.',
  version: 'A step of `release`: writes the changelog.',
  bench: async () => (await import('../bench/command.ts')).createBenchCommand(),
  faults: async () => (await import('../faults/command.ts')).createFaultsCommand(),
  'large-descriptor': async () => (await import('../large-descriptor/command.ts')).createLargeDescriptorCommand(),
  screenshots: async () => (await import('../screenshots/command.ts')).createScreenshotsCommand(),
  mutation:
    'Changes the files of `test/mutation/files.ts` in one place at a time with Stryker, and fails if the tests notice less than 85 %. Needs `npm ci --prefix .ci/tools`.',
  corpus: async () => (await import('../corpus/command.ts')).createCorpusCommand(),
};
