import { describe, expect, test } from 'vitest';
import {
  buildConnectorOAuth,
  buildEnvironment,
  buildPageRules,
  buildServerVariables,
  oauthOriginVariable,
} from '../../sandbox/connector-rules.ts';
import { buildOAuthRules } from '../../sandbox/oauth/rules.ts';
import type { Connector, Tool } from '../../server/contract/index.ts';
import { fakeTool } from '../support/fake-connector.ts';

function toolOf(name: string, more: Partial<Tool>): Tool {
  const request = { query: { limit: 'limit', 'opts.cursor_id': 'cursorId' } };
  return fakeTool({ name, path: `/${name}`, request, more });
}

const connector: Connector = {
  name: 'shop',
  title: 'Shop',
  description: '',
  categories: [],
  credential: { parts: [], help: '', url: null },
  verify: null,
  servers: [
    {
      url: '{shop_base_url}',
      variables: [
        { name: 'shop_base_url', env: 'SHOP_BASE_URL', default: 'https://shop.example/api/v3', derive: null },
      ],
    },
    {
      url: '{shop_root_url}',
      variables: [
        {
          name: 'shop_root_url',
          env: 'SHOP_ROOT_URL',
          default: 'https://shop.example',
          derive: { from: 'shop_base_url', removeSuffix: '/api/v3' },
        },
      ],
    },
    {
      url: 'https://{region}.shop.example',
      variables: [{ name: 'region', env: 'SHOP_REGION', default: 'eu', derive: null }],
    },
  ],
  errors: { message: [], code: [], details: [], invalidCredential: [], inSuccess: null },
  tools: [
    toolOf('plain', {}),
    toolOf('rows', {
      page: { argument: 'cursorId', next: '/meta/next', queryParameter: null, more: null },
      result: { rows: { columns: '/table/columns', columnName: '/name', rows: '/table/data' } },
    }),
  ],
};

describe('rules of a connector in the sandbox', () => {
  test('the wire name of the cursor comes from the request', () => {
    expect(buildPageRules(connector)).toEqual({
      'GET /rows': {
        cursorParameter: 'opts.cursor_id',
        next: '/meta/next',
        queryParameter: null,
        more: null,
        records: '/table/data',
      },
    });
  });

  test('a server that is one variable is pointed at the sandbox, with the base path of its default', () => {
    expect(buildEnvironment(connector, 'http://127.0.0.1:9')).toEqual({
      SHOP_BASE_URL: 'http://127.0.0.1:9/shop/api/v3',
    });
  });

  test('every server variable keeps its default', () => {
    expect(buildServerVariables(connector)).toEqual({
      shop_base_url: 'https://shop.example/api/v3',
      shop_root_url: 'https://shop.example',
      region: 'eu',
    });
  });

  test('OAuth rules of every kind of credential apply, with the scopes that tools need', () => {
    const [declared] = buildOAuthRules({ a: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token' } } } });
    const oauth2 = { ...declared!, clientAuthentication: 'basic', pkce: true } as const;
    const kind = {
      label: 'Account',
      parts: [{ id: 'a', type: 'oauth2', label: 'A', oauth2 }],
      help: '',
      url: null,
    } as const;
    const key = { id: 'key', type: 'bearer', label: 'Key' } as const;
    const tools = [toolOf('plain', {}), toolOf('rows', { scopes: [['read']] })];
    const credential = { parts: [key], help: '', url: null, alternatives: [kind] };
    expect(buildConnectorOAuth({ ...connector, tools, credential })).toEqual({
      rules: [oauth2],
      scopes: { 'GET /plain': [[]], 'GET /rows': [['read']] },
      takesKeys: true,
    });
    expect(buildConnectorOAuth(connector)).toBeNull();
    expect(oauthOriginVariable('data-table')).toBe('DATA_TABLE_OAUTH_ORIGIN');
  });
});
