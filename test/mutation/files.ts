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
      'server/auth/bearer.ts': ['test/server/auth/bearer.test.ts'],
      'server/http/loopback.ts': ['test/server/http/origin.test.ts'],
      'server/http/origin.ts': ['test/server/http/origin.test.ts'],
      'server/oauth-protocol/client-credentials.ts': ['test/server/oauth-protocol/client-credentials.test.ts'],
      'server/oauth-protocol/jwt.ts': ['test/server/oauth-protocol/jwt.test.ts'],
      'server/oauth-protocol/redirect-uri.ts': ['test/server/oauth-protocol/redirect-uri.test.ts'],
      'server/oauth-protocol/resource-indicator.ts': ['test/server/http/resource-indicator.test.ts'],
      'server/oauth/authorize/check-code-challenge.ts': ['test/server/oauth/authorize/rules.test.ts'],
      'server/oauth/authorize/check-redirect-uri.ts': ['test/server/oauth/authorize/rules.test.ts'],
      'server/pages/check-same-site.ts': ['test/server/pages/check-same-site.test.ts'],
      'server/pages/html.ts': ['test/server/pages/html.test.ts'],
      'server/principal/operator-rules.ts': ['test/server/principal-operator-rules.test.ts'],
      'server/principal/permission.ts': ['test/server/principal-permission.test.ts'],
    },
  ],
  [
    'A secret is guessed, read or changed.',
    {
      'server/config/weak-secret.ts': ['test/server/secrets.test.ts'],
      'server/credentials/index.ts': ['test/server/credentials/vault.test.ts'],
      'server/credentials/key-ring.ts': ['test/server/credentials/key-ring.test.ts'],
      'server/credentials/sealed-value.ts': ['test/server/pages/sealed-value.test.ts'],
      'server/secrets.ts': ['test/server/secrets.test.ts'],
      'server/tools/results/redact-value.ts': ['test/server/tools/results/redact-value.test.ts'],
      'server/upstream/redaction/index.ts': [
        'test/server/upstream/redaction.test.ts',
        'test/server/upstream/secret-bound.test.ts',
      ],
      'server/upstream/redaction/spelled.ts': ['test/server/upstream/redaction.test.ts'],
    },
  ],
  [
    'The gateway calls an address that it must not, or believes a false one.',
    {
      'server/guarded-fetch/networks.ts': ['test/server/guarded-fetch/outgoing.test.ts'],
      'server/guarded-fetch/public-address.ts': ['test/server/guarded-fetch/public-address.test.ts'],
      'server/http/forwarded.ts': ['test/server/http/forwarded.test.ts'],
      'server/http/network.ts': ['test/server/http/network.test.ts'],
      'server/upstream/base-urls.ts': ['test/server/upstream/base-urls.test.ts'],
    },
  ],
  [
    'A limit lets too much through, or a call is repeated that must not be.',
    {
      'server/mcp/json-limits.ts': ['test/server/mcp/json-limits.test.ts'],
      'server/rate-limiter.ts': ['test/server/rate-limiter.test.ts'],
      'server/tools/call/once/fate.ts': ['test/server/tools/results/retry.test.ts'],
      'server/tools/results/outcomes.ts': ['test/server/tools/results/retry.test.ts'],
      'server/tools/results/refusals/rate-limit.ts': ['test/server/tools/results/retry.test.ts'],
      'server/upstream/retry-after.ts': ['test/server/upstream/retry-after-and-redaction.test.ts'],
    },
  ],
  [
    'Arguments or answers become others.',
    {
      'codegen/tools/schema/merge.ts': [
        'test/codegen/tools/schema/merge.test.ts',
        'test/codegen/tools/schema/meter.test.ts',
      ],
      'server/tools/arguments/heal.ts': [
        'test/server/tools/arguments/heal.test.ts',
        'test/server/tools/arguments/heal-bound.test.ts',
      ],
      'server/tools/catalogue/nearest.ts': [
        'test/server/tools/catalogue/nearest.test.ts',
        'test/server/tools/catalogue/nearest-bound.test.ts',
      ],
      'server/tools/json/exact-json.ts': ['test/server/tools/json/exact-json.test.ts'],
    },
  ],
  [
    'A reviewer does not see a change.',
    {
      'codegen/report/acknowledge.ts': ['test/codegen/report/compare.test.ts'],
      'codegen/report/match-tools.ts': ['test/codegen/report/match-tools.test.ts'],
      'server/store/audit-chain/signing.ts': ['test/server/store/audit-chain/signing.test.ts'],
    },
  ],
];

/** In the order of the groups. */
export const MUTATED: readonly MutatedFile[] = GROUPS.flatMap(([why, files]) =>
  Object.entries(files).map(([file, tests]) => ({ file, why, tests })),
);
