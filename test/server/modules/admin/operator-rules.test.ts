import { describe, expect, test } from 'vitest';
import {
  operatorRoleOf,
  parseOperatorRules,
  verifiedEmailOf,
} from '../../../../server/modules/admin/operator-rules.ts';

describe('rules for operators', () => {
  test.each([
    ['Ada@Example.com', [{ kind: 'email', value: 'ada@example.com' }]],
    ['@Example.com', [{ kind: 'domain', value: 'example.com' }]],
    ['primary_email=ada', [{ kind: 'claim', claim: 'primary_email', value: 'ada' }]],
    ['groups=Tool Operators', [{ kind: 'claim', claim: 'groups', value: 'Tool Operators' }]],
    [
      'https://example.com/roles=a=b, @x.example',
      [
        { kind: 'claim', claim: 'https://example.com/roles', value: 'a=b' },
        { kind: 'domain', value: 'x.example' },
      ],
    ],
  ])('%s are parsed', (text, want) => {
    expect(parseOperatorRules(text)).toEqual(want);
  });

  test.each([
    '',
    'ada',
    '@',
    'a@b@c',
    'email=ada@example.com',
    'email_verified=true',
    'groups=',
    '=x',
    '=groups=x',
    'groups=a\nb',
    '@x.example y',
    'ada@x.example y',
    'b ada@x.example',
    'ada@x.example,',
  ])('%j are refused', (text) => {
    expect(() => parseOperatorRules(text)).toThrow('must be e-mail addresses');
  });

  const rules = { look: parseOperatorRules('@example.com'), act: parseOperatorRules('ada@example.com,roles=admin') };

  test.each([
    [{ email: 'ada@example.com', email_verified: true }, 'act'],
    [{ email: 'ADA@example.com', email_verified: true }, 'act'],
    [{ email: 'eve@example.com', email_verified: true }, 'look'],
    [{ email: 'ada@example.com', email_verified: 'true' }, null],
    [{ email: ['ada@example.com'], email_verified: true }, null],
    [{ email: 'eve@sub.example.com', email_verified: true }, null],
    [{ email: '"@example.com"@evil.example', email_verified: true }, null],
    [{ roles: 'admin' }, 'act'],
    [{ roles: ['x', 'admin'] }, 'act'],
    [{ roles: ['administrator'] }, null],
    [{}, null],
  ])('%j is %s', (claims, role) => {
    expect(operatorRoleOf(claims, rules)).toBe(role);
  });

  test('an inherited property is not a claim', () => {
    const inherited = { look: [], act: parseOperatorRules('constructor=x,toString=x') };
    expect(operatorRoleOf({}, inherited)).toBeNull();
  });

  test('an unverified address is ignored', () => {
    expect(verifiedEmailOf({ email: 'ada@example.com' })).toBeNull();
  });
});
