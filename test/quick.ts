/** What `npm test` runs, and what it leaves to `npm run test:all` and `.ci/run`. */

/** Test files that `npm test` leaves out, by reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'a browser goes through pages': [
    'test/e2e/branding.test.ts',
    'test/e2e/changed-tools.test.ts',
    'test/e2e/connect-frame.test.ts',
    'test/e2e/connect-page.test.ts',
    'test/e2e/connect-popup.test.ts',
    'test/e2e/consent-appearance.test.ts',
    'test/e2e/consent.test.ts',
    'test/e2e/dashboard-pages.test.ts',
    'test/e2e/dashboard.test.ts',
    'test/e2e/demo-in-browser.test.ts',
    'test/e2e/incident.test.ts',
    'test/e2e/landing.test.ts',
    'test/e2e/operator-sign-in.test.ts',
    'test/e2e/partner-journey.test.ts',
    'test/e2e/styleguide.test.ts',
    'test/e2e/tool-pages.test.ts',
    'test/e2e/user-page.test.ts',
    'test/sandbox/oauth-page.test.ts',
    'test/sandbox/page.test.ts',
    'test/scripts/screenshots.test.ts',
    'test/server/call/upstream-oauth/public-services.test.ts',
    'test/server/call/upstream-oauth/connection-lifecycle.test.ts',
  ],
  'they start gateways and commands as processes of their own': [
    'test/shared/cli/commands.test.ts',
    'test/shared/cli/mistyped-paths.test.ts',
    'test/shared/cli/utg.test.ts',
    'test/codegen/main.test.ts',
    'test/conformance/conformance.test.ts',
    'test/docs/connector-tutorial.test.ts',
    'test/docs/embedding.test.ts',
    'test/docs/partners.test.ts',
    'test/docs/readme.test.ts',
    'test/docs/shell-blocks.test.ts',
    'test/server/modules/doctor/outside.test.ts',
    'test/e2e/answers-in-clients.test.ts',
    'test/evals/evals.test.ts',
    'test/scripts/evals/command.test.ts',
    'test/e2e/catalogue-modes.test.ts',
    'test/e2e/demo.test.ts',
    'test/e2e/oauth-tools.test.ts',
    'test/e2e/test-mode.test.ts',
    'test/e2e/official-clients.test.ts',
    'test/e2e/workers.test.ts',
    'test/examples/module.test.ts',
    'test/examples/partner-app.test.ts',
    'test/sandbox/command.test.ts',
    'test/sandbox/specs.test.ts',
    'test/scripts/bench-gateway.test.ts',
    'test/scripts/bench.test.ts',
    'test/scripts/incident.test.ts',
    'test/scripts/store/backup.test.ts',
    'test/scripts/store/copy.test.ts',
    'test/scripts/workflows.test.ts',
    'test/server/base/credentials/rotate-keys.test.ts',
    'test/server/call/tools/why.test.ts',
    'test/server/main.test.ts',
    'test/server/modules/identity-assertions/two-gateways.test.ts',
    'test/server/modules/tasks/nodes.test.ts',
    'test/server/modules/undo/two-gateways.test.ts',
    'test/server/identity/oauth/two-gateways.test.ts',
    'test/server/call/upstream-oauth/killed-while-refreshing.test.ts',
    'test/server/call/upstream-oauth/moment-of-expiry.test.ts',
    'test/server/call/upstream-oauth/workers.test.ts',
    'test/server/call/writes-once/killed-in-a-batch.test.ts',
    'test/server/call/writes-once/two-gateways.test.ts',
  ],
  'clients and upstreams wait, as they do outside': [
    'test/attacks/flood-the-log.test.ts',
    'test/e2e/caps.test.ts',
    'test/e2e/client-documents.test.ts',
    'test/server/identity/oauth/client-documents.test.ts',
    'test/server/modules/telemetry/metrics.test.ts',
    'test/server/call/writes-once/official-clients.test.ts',
    'test/server/connect/races.test.ts',
    'test/e2e/misbehaviour.test.ts',
    'test/e2e/oauth-sdk-clients.test.ts',
    'test/requests/right-or-refused/streams.test.ts',
    'test/server/call/mcp/clients.test.ts',
    'test/server/call/mcp/exchange.test.ts',
    'test/server/modules/telemetry/listener.test.ts',
    'test/server/call/upstream/lease/idle-and-revocation.test.ts',
  ],
  'they go through everything: each rule, service or document': [
    'test/attacks/overload-the-token-endpoint.test.ts',
    'test/attacks/every-route.test.ts',
    'test/attacks/fill-the-disk-all-day.test.ts',
    'test/attacks/fill-the-disk.test.ts',
    'test/codegen/cache/reuse.test.ts',
    'test/codegen/emit/index.test.ts',
    'test/codegen/generate-drift.test.ts',
    'test/codegen/generate-golden.test.ts',
    'test/codegen/hostile.test.ts',
    'test/codegen/report/cases.test.ts',
    'test/codegen/too-large.test.ts',
    'test/docs/pages.test.ts',
    'test/docs/troubleshooting.test.ts',
    'test/codegen/tools/profiles/publishing.test.ts',
    'test/codegen/tools/schema/output-validators.test.ts',
    'test/requests/contract/every-tool.test.ts',
    'test/requests/contract/failure.test.ts',
    'test/server/identity/oauth/properties.test.ts',
    'test/codegen/tools/budget/fit.test.ts',
    'test/requests/forms/openapi-3.2.test.ts',
    'test/sandbox/misbehaviour.test.ts',
    'test/scripts/connector.test.ts',
    'test/scripts/connector/first-config.test.ts',
    'test/scripts/connector/update.test.ts',
    'test/scripts/corpus.test.ts',
    'test/scripts/tools-diff.test.ts',
    'test/scripts/tools-diff-kept.test.ts',
    'test/shared/search/recall.test.ts',
    'test/server/base/http/dropped-body.test.ts',
    'test/server/call/mcp/oracle/oracle.test.ts',
    'test/server/modules/telemetry/traces.test.ts',
    'test/server/call/tools/arguments/drawn-patterns.test.ts',
    'test/server/call/tools/fitting/every-tool.test.ts',
    'test/server/call/tools/results/errors.test.ts',
    'test/server/call/upstream-oauth/quirks.test.ts',
    'test/specs/oauth2-services/services.test.ts',
  ],
};

/**
 * Files of those that rest on Node itself: how it loads programs and ends them, its HTTP, its streams and files, its binding of SQLite. `.ci/run`
 * runs them on every supported version. Those that are not here compute, or need a browser.
 */
export const ON_EVERY_NODE: readonly string[] = [
  'test/attacks/every-route.test.ts',
  'test/attacks/fill-the-disk.test.ts',
  'test/attacks/flood-the-log.test.ts',
  'test/attacks/overload-the-token-endpoint.test.ts',
  'test/codegen/main.test.ts',
  'test/docs/embedding.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/misbehaviour.test.ts',
  'test/e2e/oauth-sdk-clients.test.ts',
  'test/requests/right-or-refused/streams.test.ts',
  'test/sandbox/command.test.ts',
  'test/server/base/http/dropped-body.test.ts',
  'test/server/call/mcp/clients.test.ts',
  'test/server/call/mcp/exchange.test.ts',
  'test/server/call/writes-once/two-gateways.test.ts',
  'test/server/main.test.ts',
  'test/server/modules/telemetry/listener.test.ts',
  'test/server/modules/telemetry/metrics.test.ts',
  'test/shared/cli/commands.test.ts',
  'test/shared/cli/utg.test.ts',
];

/** Files that measure what a process has loaded, or how long it takes: each runs in its own process. */
export const ALONE: readonly string[] = [
  'test/server/call/mcp/overload.test.ts',
  'test/server/modules/telemetry/switched-off.test.ts',
  'test/server/call/tools/results/linear-time.test.ts',
];

/** The last line of `npm test`. */
export const NOTICE =
  `Left out: ${Object.values(LEFT_OUT).flat().length} test files that take long, and most draws of the properties. ` +
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

/** Tests of the core that use modules: they lead users to their own page, or read the audit trail. */
const WITH_MODULES = ['test/server/call/mcp/sessions/**', 'test/server/partners/command.test.ts'];

/** Quick tests that rest on Node itself too. */
const ON_NODE = [
  'attacks',
  'sandbox',
  'server/base',
  'server/call/mcp',
  'server/call/tools/arguments',
  'server/call/upstream',
  'server/modules/code',
].map((folder) => `test/${folder}/**/*.test.ts`);

/** Input of codegen, which includes files that look like tests. */
const INPUT = 'test/golden/**';

/** Properties draw less: see `test/support/num-runs.ts`. */
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
  const leftOut = Object.values(LEFT_OUT).flat();
  const every = { name: 'tests', include: ['test/**/*.test.ts'], exclude: [INPUT, ...ALONE], isolate: false, env: {} };
  const alone = { name: 'alone', include: [...ALONE], exclude: [], isolate: true, env: {} };
  const quick = { ...every, exclude: [...every.exclude, ...leftOut], env: QUICK };
  switch (mode) {
    case 'test':
      return isAsked ? [every, alone] : [quick, { ...alone, env: QUICK }];
    case 'all':
      return [every, alone];
    case 'fuller':
      return [{ ...quick, env: ON_POSTGRES }, { ...every, name: 'left-out', include: leftOut }, alone];
    case 'node': {
      const exclude = quick.exclude.filter((file) => !ON_EVERY_NODE.includes(file));
      return [
        { ...quick, include: [...ON_NODE, ...ON_EVERY_NODE], exclude },
        { ...alone, env: QUICK },
      ];
    }
    case 'core':
      return [{ ...quick, include: CORE, exclude: [...leftOut, ...WITH_MODULES] }];
    default:
      throw new Error(`There is no mode "${mode}": it is ${MODES.map((one) => `"${one}"`).join(', ')}, or none.`);
  }
}
