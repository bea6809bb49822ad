/** Which files are mutated: security checks, and pure decisions. */

export interface MutatedFile {
  readonly file: string;
  /** What fails if no test notices a change. */
  readonly why: string;
  /**
   * The test files that must notice it. Each takes less than two seconds: they run again for each mutant that they
   * reach.
   */
  readonly tests: readonly string[];
}

const GROUPS: readonly (readonly [why: string, files: Readonly<Record<string, readonly string[]>>])[] = [
  [
    'A client or page gets what is another one’s.',
    {
      'server/base/http/authenticate.ts': ['test/server/base/http/authenticate.test.ts'],
      'server/base/http/loopback.ts': ['test/server/base/http/origin.test.ts'],
      'server/base/http/origin.ts': ['test/server/base/http/origin.test.ts', 'test/server/base/http/forwarded.test.ts'],
      'server/identity/protocol/client-credentials.ts': ['test/server/identity/protocol/client-credentials.test.ts'],
      'server/identity/protocol/jwt.ts': ['test/server/identity/protocol/jwt.test.ts'],
      'server/identity/protocol/redirect-uri.ts': [
        'test/server/identity/oauth/authorization-rules.test.ts',
        'test/server/identity/protocol/redirect-uri.test.ts',
      ],
      'server/identity/protocol/resource-indicator.ts': ['test/server/identity/protocol/resource-indicator.test.ts'],
      'server/identity/oauth/authorize.ts': ['test/server/identity/oauth/authorization-rules.test.ts'],
      'server/base/pages/check-same-site.ts': ['test/server/base/pages/check-same-site.test.ts'],
      'server/base/pages/html.ts': ['test/server/base/pages/html.test.ts'],
      'server/modules/admin/operator-rules.ts': ['test/server/modules/admin/operator-rules.test.ts'],
      'server/base/principal/permission.ts': ['test/server/base/principal/permission.test.ts'],
    },
  ],
  [
    'A secret is guessed, read or changed.',
    {
      'server/base/credentials/index.ts': ['test/server/base/credentials/vault.test.ts'],
      'server/base/credentials/key-ring.ts': ['test/server/base/credentials/key-ring.test.ts'],
      'server/base/credentials/sealed-value.ts': ['test/server/base/credentials/sealed-value.test.ts'],
      'server/base/principal/secrets.ts': ['test/server/base/principal/secrets.test.ts'],
      'server/call/tools/results/errors.ts': ['test/server/call/tools/results/redact-value.test.ts'],
      'server/call/upstream/redaction.ts': [
        'test/server/call/upstream/redaction.test.ts',
        'test/server/call/upstream/secret-bound.test.ts',
      ],
    },
  ],
  [
    'The gateway calls an address that it must not, or believes a false one.',
    {
      'server/base/guarded-fetch/networks.ts': ['test/server/base/guarded-fetch/outgoing.test.ts'],
      'server/base/guarded-fetch/public-address.ts': ['test/server/base/guarded-fetch/public-address.test.ts'],
      'server/base/http/network.ts': ['test/server/base/http/network.test.ts'],
      'server/base/base-urls.ts': ['test/server/config/base-urls.test.ts'],
    },
  ],
  [
    'A limit lets too much through, or a call is repeated that must not be.',
    {
      'server/call/mcp/json-rpc.ts': ['test/server/call/mcp/json-limits.test.ts'],
      'server/base/limits/limiter.ts': ['test/server/base/limits/limiter.test.ts'],
      'server/call/tools/results/outcomes.ts': ['test/server/call/tools/results/retry.test.ts'],
      'server/call/tools/results/error-causes.ts': ['test/server/call/tools/results/retry.test.ts'],
      'server/call/upstream/retry-after.ts': ['test/server/call/upstream/retry-after-and-redaction.test.ts'],
    },
  ],
  [
    'Arguments or answers become others.',
    {
      'codegen/tools/schema/merge.ts': [
        'test/codegen/tools/schema/merge.test.ts',
        'test/codegen/tools/schema/meter.test.ts',
      ],
      'server/call/tools/call/heal.ts': [
        'test/server/call/tools/arguments/heal.test.ts',
        'test/server/call/tools/arguments/heal-bound.test.ts',
      ],
      'server/call/tools/nearest.ts': ['test/server/call/tools/catalogue/nearest.test.ts'],
      'server/call/tools/json.ts': ['test/server/call/tools/json/exact-json.test.ts'],
    },
  ],
  [
    'A reviewer does not see a change.',
    {
      'codegen/report/acknowledge.ts': ['test/codegen/report/compare.test.ts'],
      'codegen/report/match-tools.ts': ['test/codegen/report/match-tools.test.ts'],
      'server/modules/audit/signing.ts': ['test/server/modules/audit/signing.test.ts'],
    },
  ],
];

/** In the order of the groups. */
export const MUTATED: readonly MutatedFile[] = GROUPS.flatMap(([why, files]) =>
  Object.entries(files).map(([file, tests]) => ({ file, why, tests })),
);
