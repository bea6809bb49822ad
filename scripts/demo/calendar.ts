/**
 * A sample service whose users sign in with OAuth 2.0, to show that way of connecting: its descriptor and its connector.
 */

import { PLAIN_RULES } from '../../sandbox/oauth/rules.ts';
import type { Connector, OAuth2Rules, Tool } from '../../server/contract/index.ts';

const LOGIN = 'https://login.calendar.example/oauth';
const SERVER = '{calendar_base_url}';
const SCOPES = { 'events.read': 'See events', 'events.write': 'Add events' };

const EVENT = {
  type: 'object',
  required: ['title', 'day'],
  properties: {
    title: { type: 'string', description: 'What it is.' },
    day: { type: 'string', format: 'date', description: 'When, such as 2026-09-01.' },
  },
} as const;

const PLANNED = [
  { title: 'Team lunch', day: '2026-09-01' },
  { title: 'Quarterly review', day: '2026-09-15' },
];

export const CALENDAR_DESCRIPTOR = {
  openapi: '3.1.0',
  info: { title: 'Sample Calendar', version: '1' },
  servers: [{ url: 'https://calendar.example/v1' }],
  security: [{ account: ['events.read'] }],
  paths: {
    '/events': {
      get: {
        operationId: 'listEvents',
        responses: answered(
          '200',
          { type: 'object', properties: { events: { type: 'array', items: EVENT } } },
          { events: PLANNED },
        ),
      },
      post: {
        operationId: 'addEvent',
        security: [{ account: ['events.write'] }],
        requestBody: { required: true, content: { 'application/json': { schema: EVENT } } },
        responses: answered('201', EVENT, PLANNED[0]),
      },
    },
  },
  components: {
    securitySchemes: {
      account: {
        type: 'oauth2',
        flows: {
          authorizationCode: { authorizationUrl: `${LOGIN}/authorize`, tokenUrl: `${LOGIN}/token`, scopes: SCOPES },
        },
      },
    },
  },
};

function answered(status: string, schema: object, example: unknown): object {
  return { [status]: { description: 'Done', content: { 'application/json': { schema, example } } } };
}

const OAUTH2: OAuth2Rules = {
  ...PLAIN_RULES,
  flow: 'authorization_code',
  authorizationUrl: `${LOGIN}/authorize`,
  tokenUrl: `${LOGIN}/token`,
  clientAuthentication: 'basic',
  pkce: true,
};

const LIST_EVENTS: Tool = {
  name: 'calendar_list_events',
  title: 'List events',
  description: 'Lists the events of the calendar.',
  operation: { id: 'listEvents', method: 'GET', path: '/events', server: SERVER },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  request: {},
  outputSchema: { type: 'object', properties: { events: { items: { properties: EVENT.properties } } } },
  scopes: [['events.read']],
};

const ADD_EVENT: Tool = {
  name: 'calendar_add_event',
  title: 'Add an event',
  description: 'Adds an event to the calendar.',
  operation: { id: 'addEvent', method: 'POST', path: '/events', server: SERVER },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: { ...EVENT, additionalProperties: false },
  request: { body: { mediaType: 'application/json', members: { title: 'title', day: 'day' } } },
  outputSchema: { type: 'object', properties: EVENT.properties },
  scopes: [['events.write']],
};

export const CALENDAR: Connector = {
  name: 'calendar',
  title: 'Sample Calendar',
  description: 'A sample calendar, to try signing in to a service.',
  categories: ['Productivity'],
  credential: {
    parts: [{ id: 'account', type: 'oauth2', label: 'Calendar account', oauth2: OAUTH2 }],
    help: "You'll sign in at Sample Calendar.",
    url: null,
  },
  verify: null,
  servers: [
    {
      url: SERVER,
      variables: [
        { name: 'calendar_base_url', env: 'CALENDAR_BASE_URL', default: 'https://calendar.example/v1', derive: null },
      ],
    },
  ],
  errors: { message: ['/message'], code: [], details: [], invalidCredential: [], inSuccess: null },
  tools: [ADD_EVENT, LIST_EVENTS],
};
