/** The calendar of `test/sandbox/fixture/oauth.yaml` as a connector: a service that speaks OAuth 2.0 and nothing else. */

import type { Connector } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { oauth2Rules } from '../../../support/oauth-rules.ts';

const LOGIN = 'https://login.calendar.example/oauth';

export const LIST_EVENTS = 'calendar_list_events';

export function calendarConnector(): Connector {
  const oauth2 = oauth2Rules(LOGIN, { refreshUrl: `${LOGIN}/refresh` });
  const scopesOf = (...scopes: string[]) => ({ more: { scopes: [scopes] } });
  return fakeConnector({
    name: 'calendar',
    title: 'Calendar',
    tools: [
      fakeTool({
        name: 'calendar_add_event',
        method: 'POST',
        path: '/events',
        ...scopesOf('events.read', 'events.write'),
      }),
      fakeTool({ name: LIST_EVENTS, path: '/events', ...scopesOf('events.read') }),
    ],
    parts: [{ id: 'account', type: 'oauth2', label: 'Account', oauth2 }],
  });
}
