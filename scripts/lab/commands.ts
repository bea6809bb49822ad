/** The commands of people who work on this repository. They are not in the package. */

import type { CommandTree } from '../../shared/cli/command.ts';

export const LAB: CommandTree = {
  typed: 'npm run lab --',
  description: 'Measures the gateway and what it generates, and checks and packs this repository.',
  list: async () => ({
    Measure: {
      bench: {
        summary: 'measure the gateway next to other MCP servers',
        load: async () => (await import('./bench/command.ts')).createBenchCommand(),
      },
      faults: {
        summary: 'break things around three gateways, and check what they promised',
        load: async () => (await import('./faults/command.ts')).createFaultsCommand(),
      },
      corpus: {
        summary: 'take published OpenAPI documents through codegen',
        load: async () => (await import('./corpus/command.ts')).createCorpusCommand(),
      },
      screenshots: {
        summary: 'take the pictures of the documentation',
        load: async () => (await import('./screenshots/command.ts')).createScreenshotsCommand(),
      },
    },
    'Keep the repository in order': {
      'check:static': {
        summary: 'types, lint, generated files',
        load: async () => (await import('../check/command.ts')).createStaticChecksCommand(),
      },
      package: {
        summary: 'build the package that is published',
        load: async () => (await import('../package/command.ts')).createPackageCommand(),
      },
    },
  }),
  examples: {
    'npm run lab -- bench --quick': 'the gateway next to other MCP servers, in a minute',
    'npm run lab -- faults --help': 'the options of a command',
  },
};
