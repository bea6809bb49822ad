/** The commands of `utg` as data: what each does, and where it is. A module is loaded when its command is used. */

import type { AnyModule } from '../../server/module.ts';
import { type CommandGroups, commandsByName, type ListedCommand } from '../../shared/cli/command.ts';

/** Those that do not belong to a module of the gateway. */
const COMMANDS: CommandGroups = {
  'Create tools': {
    init: {
      summary: 'create a project with an example service',
      load: async () => (await import('../init/command.ts')).createInitCommand(),
    },
    add: {
      summary: 'add a service, by its recipe, from a descriptor, or from an MCP server',
      needsCodegen: true,
      load: async () => (await import('../connector/command.ts')).createAddCommand(),
    },
    update: {
      summary: "update a service's descriptor",
      needsCodegen: true,
      load: async () => (await import('../connector/command.ts')).createUpdateCommand(),
    },
    codegen: {
      summary: 'generate tools from descriptors',
      needsCodegen: true,
      load: async () => (await import('../../codegen/command.ts')).createCodegenCommand(),
    },
    'tools:diff': {
      summary: 'report how the tools change for agents',
      needsCodegen: true,
      load: async () => (await import('../tools-diff/command.ts')).createToolsDiffCommand(),
    },
  },
  'Try them': {
    demo: {
      summary: 'try the gateway on this machine',
      needsCodegen: true,
      load: async () => (await import('../demo/command.ts')).createDemoCommand(),
    },
    sandbox: {
      summary: 'serve descriptors as upstreams on this machine',
      needsCodegen: true,
      load: async () => (await import('../../sandbox/command.ts')).createSandboxCommand(),
    },
    evals: {
      summary: 'let a model answer requests with the tools',
      needsCodegen: true,
      load: async () => (await import('../evals/command.ts')).createEvalsCommand(),
    },
    token: {
      summary: 'mint an access token for testing',
      load: async () => (await import('../token/command.ts')).createTokenCommand(),
    },
  },
  'Run the gateway': {
    start: {
      summary: 'run the gateway',
      load: async () => {
        const [{ createStartCommand }, { loadConnectors }] = await Promise.all([
          import('../../server/command.ts'),
          import('../../server/call/tools/catalogue/connectors.ts'),
        ]);
        return createStartCommand(await loadConnectors());
      },
    },
    portal: {
      summary: "run the portal, where a company's people sign in",
      load: async () => (await import('../../packages/portal/command.ts')).createPortalCommand(),
    },
    why: {
      summary: 'say why a client of a user lacks a tool',
      load: async () => (await import('../why/command.ts')).createWhyCommand(),
    },
    partner: {
      summary: 'manage the applications whose users connect',
      load: async () => (await import('../partner/command.ts')).createPartnerCommand(),
    },
    grants: {
      summary: 'list and revoke what users and partners allowed',
      load: async () => (await import('../grants/command.ts')).createGrantsCommand(),
    },
    writes: {
      summary: 'stop everything that writes, at once',
      load: async () => (await import('../writes/command.ts')).createWritesCommand(),
    },
    'upstream-client': {
      summary: 'manage the OAuth clients that are registered at upstreams',
      load: async () => (await import('../upstream-client/command.ts')).createUpstreamClientCommand(),
    },
    keys: {
      summary: 'manage the keys that seal credentials',
      load: async () => (await import('../keys/command.ts')).createKeysCommand(),
    },
    module: {
      summary: 'list the modules of the gateway, or erase the rows of one',
      load: async () => (await import('../module/command.ts')).createModuleCommand(),
    },
    store: {
      summary: 'back up, restore and copy the store',
      load: async () => (await import('../store/command.ts')).createStoreCommand(),
    },
  },
};

/** Returns every command, including those of the gateway's modules. */
export async function listCommands(): Promise<CommandGroups> {
  const { loadModules } = await import('../../server/modules/index.ts');
  return withModules(loadModules());
}

/** Returns the commands of a gateway with these modules. */
export function withModules(modules: readonly AnyModule[]): CommandGroups {
  const all: Record<string, Readonly<Record<string, ListedCommand>>> = { ...COMMANDS };
  for (const { commands = {} } of modules) {
    for (const [title, group] of Object.entries(commands)) {
      for (const [name, { load, ...listed }] of Object.entries(group)) {
        all[title] = inserted(all[title] ?? {}, name, { ...listed, load: () => load(modules) });
      }
    }
  }
  return all;
}

function inserted(
  group: Readonly<Record<string, ListedCommand>>,
  name: string,
  listed: ListedCommand,
): Record<string, ListedCommand> {
  const entries = Object.entries(group);
  const at = entries.findIndex(([each]) => each === listed.after);
  return Object.fromEntries(entries.toSpliced(at < 0 ? entries.length : at + 1, 0, [name, listed]));
}

/** Returns the command of this name. The modules are loaded only if the name is not in `COMMANDS`. */
export async function findCommand(name: string): Promise<ListedCommand | undefined> {
  return commandsByName(COMMANDS).get(name) ?? commandsByName(await listCommands()).get(name);
}
