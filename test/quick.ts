/**
 * What `npm test` runs, and what it leaves to `npm run test:all` and `.ci/run`, by the names of the files:
 *
 * - `*.browser.test.ts`: a browser goes through pages.
 * - `*.slow.test.ts`: they start many processes, wait as clients and upstreams do, or go through every rule, service or document.
 * - `*.node.test.ts`: slow ones that rest on Node itself: how it loads programs and ends them, its HTTP, its streams and files, its binding of
 *   SQLite. `.ci/run` runs them on every supported version.
 * - `*.alone.test.ts`: quick ones that measure what a process has loaded, or how long it takes: each runs in its own process.
 */

export const LEFT_OUT = 'test/**/*.{browser,slow,node}.test.ts';
const ON_EVERY_NODE = 'test/**/*.node.test.ts';
const ALONE = 'test/**/*.alone.test.ts';

/** The last line of `npm test`. */
export const NOTICE =
  'Left out: the test files with .browser, .slow or .node in their names, most draws of the properties, and most rows of broad tables. ' +
  'npm run test:all runs them; .ci/run adds PostgreSQL, a browser and other versions of Node.\n';

/** Test files that run under the same conditions. */
export interface Project {
  readonly name: string;
  /** Patterns and paths of test files. */
  readonly include: string[];
  readonly exclude: string[];
  /** True if each file runs in its own process. */
  readonly isolate: boolean;
  readonly env: Partial<Record<string, string>>;
}

/** The tests of the core, which pass in a gateway without any module. */
const CORE = ['base', 'call', 'connect', 'identity', 'partners'].map((folder) => `test/server/${folder}/**/*.test.ts`);

/** Tests of the core that use modules: they lead users to their own page, read the audit trail, or list tools of modules. */
const WITH_MODULES = [
  'test/server/call/mcp/sessions/**',
  'test/server/call/mcp/hints.test.ts',
  'test/server/partners/command.test.ts',
];

/** Quick tests that rest on Node itself too: on its HTTP, its streams, its threads and its binding of SQLite. */
const ON_NODE = ['server/base', 'server/call/mcp', 'server/call/upstream', 'server/modules/code'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** Input of codegen, which includes files that look like tests. */
const INPUT = 'test/golden/**';

/** Properties draw less, and broad tables have fewer rows: see `test/support/num-runs.ts` and `some-of.ts`. */
const QUICK = { QUICK: '1' };

/** Suites run on PostgreSQL alone: see `test/server/base/store/dialects.ts`. */
const ON_POSTGRES = { SQLITE_HAS_PASSED: '1' };

/** Modes of Vitest, beside `test`, which is taken where none is given. */
const MODES = ['all', 'core', 'fuller', 'node'];

/**
 * @param mode of Vitest: `test` for `npm test`, `all` for `npm run test:all`, `fuller` for what the first leaves out, and on PostgreSQL alone what it
 * has run on SQLite, `node` for what rests on Node itself, or `core`.
 * @param isAsked true if the command line names the tests to run: then `npm test` leaves nothing out.
 * @throws {Error} if there is no such mode.
 */
export function chooseTests(mode: string, isAsked: boolean): Project[] {
  const every = { name: 'tests', include: ['test/**/*.test.ts'], exclude: [INPUT, ALONE], isolate: false, env: {} };
  const alone = { name: 'alone', include: [ALONE], exclude: [], isolate: true, env: {} };
  const quick = { ...every, exclude: [...every.exclude, LEFT_OUT], env: QUICK };
  switch (mode) {
    case 'test':
      return isAsked ? [every, alone] : [quick, { ...alone, env: QUICK }];
    case 'all':
      return [every, alone];
    case 'fuller':
      return [{ ...quick, env: ON_POSTGRES }, { ...every, name: 'left-out', include: [LEFT_OUT] }, alone];
    case 'node':
      return [
        { ...quick, include: ON_NODE },
        { ...every, name: 'left-out', include: [ON_EVERY_NODE], env: QUICK },
        { ...alone, env: QUICK },
      ];
    case 'core':
      return [{ ...quick, include: CORE, exclude: [LEFT_OUT, ...WITH_MODULES] }];
    default:
      throw new Error(`There is no mode "${mode}": it is ${MODES.map((one) => `"${one}"`).join(', ')}, or none.`);
  }
}
