import { expect, test } from 'vitest';
import { emitReviewPage } from '../../../codegen/emit/review-page.ts';
import type { SecuritySchemeModel } from '../../../codegen/model/types.ts';
import { build, operation, service } from '../tools/service.ts';

const scheme = (id: string): SecuritySchemeModel => ({
  id,
  type: 'oauth2',
  kind: 'oauth2',
  flows: [
    {
      flow: 'authorization_code',
      authorizationUrl: `https://${id}.shop.example/authorize`,
      tokenUrl: `https://${id}.shop.example/token`,
      refreshUrl: null,
    },
  ],
  scopes: ['read', 'members'],
  description: '',
  pointer: `/s/${id}`,
});
const list = (id: string, schemeId: string, scope: string) =>
  operation({ id, path: `/${id}`, security: [[{ id: schemeId, scopes: [scope] }]] });

test('TOOLS.md says where users sign in for what few tools need in addition, and which scopes these tools need', () => {
  const operations = [list('listThings', 'user', 'read'), list('listMembers', 'org', 'members')];
  const { connector, problems } = build(
    service(operations, { securitySchemes: [scheme('user'), scheme('org')], security: [] }),
    { credential: { schemes: ['user'], extras: [{ label: 'Organisation account', schemes: ['org'] }] } },
  );
  expect(problems).toEqual([]);
  const [, ofUser = '', ofExtra = ''] =
    emitReviewPage('Generated.', connector).split('## Tools one by one')[0]?.split('## OAuth 2.0') ?? [];
  expect(ofUser).toContain('- Token: `https://user.shop.example/token`\n- Asks for `read`.');
  expect(ofUser).not.toContain('members');
  expect(ofExtra).toContain('Only for tools that need Organisation account.');
  expect(ofExtra).toContain('- Token: `https://org.shop.example/token`\n- Asks for `members`.');
  expect(ofExtra).toContain('| `members` | `shop_list_members` |');
});
