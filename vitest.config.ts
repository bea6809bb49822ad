import module from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { parseCLI } from 'vitest/node';
import { chooseTests, NOTICE } from './test/quick.ts';

// Programs that tests start find their compiled code where those of `npm run` keep it: they start in half the time.
const compiled = module.getCompileCacheDir();
if (compiled !== undefined) process.env.NODE_COMPILE_CACHE ??= path.dirname(compiled);

/** `--mode core` runs the tests of the core in a gateway without any module. */
const WITHOUT_MODULES = {
  name: 'without-modules',
  enforce: 'pre',
  load: (id: string) =>
    id.endsWith('/server/modules/index.ts')
      ? 'export const MODULES = [];\nexport const loadModules = () => MODULES;'
      : null,
} as const;

export default defineConfig(({ mode }) => {
  const { filter, options } = parseCLI(['vitest', ...process.argv.slice(2)], { allowUnknownOptions: true });
  const isAsked = filter.length > 0 || options.related !== undefined || options.testNamePattern !== undefined;
  return {
    plugins: [
      ...(mode === 'core' ? [WITHOUT_MODULES] : []),
      {
        name: 'what-is-left-out',
        // It is called for each project.
        configureVitest({ vitest, project }) {
          if (!isAsked && mode === 'test' && project.name === 'tests')
            vitest.onClose(() => void process.stderr.write(NOTICE));
        },
      },
    ],
    test: {
      pool: 'forks',
      // Node loads the TypeScript as it is, with its cache of compiled code. Only a plugin that replaces a module needs Vite to load it.
      experimental: mode === 'core' ? {} : { viteModuleRunner: false, nodeLoader: false },
      // Files share a process: what a failed test has replaced must not fail those after it.
      unstubGlobals: true,
      globalSetup: 'test/support/migrated-database.ts',
      server: { deps: { external: [/\/bundle\/[\w-]+\.js$/] } },
      maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
      // In .ci/run. A test that fails on a busy machine and then passes is marked as repeated in the output.
      retry: process.env.CI === undefined ? 0 : 2,
      testTimeout: 20_000,
      hookTimeout: 30_000,
      expect: { poll: { timeout: 10_000 } },
      projects: chooseTests(mode, isAsked).map((test) => ({ extends: true, test })),
    },
  };
});
