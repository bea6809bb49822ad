/** The consent page, with a registered client and a browser that has not opened it yet. */

import { beforeEach } from 'vitest';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { createVisitor, type Request, requestOf, type Visitor } from './page-visitor.ts';
import { type Answer, describeOAuth, type OAuthUnderTest, REDIRECT_URI } from './support.ts';

export const MINUTE_MS = 60_000;

/** A well-formed code that was never issued. */
export const WRONG = '0000-0000-0000';

interface Limits {
  readonly services?: string[];
  readonly readOnly?: boolean;
  readonly grantSeconds?: number;
}

/** The fixtures of a test of the page; fresh for each test. */
export interface PageUnderTest {
  visitor: Visitor;
  clientId: string;
  /** A connection code of `alice`. */
  mint(limits?: Limits): Promise<string>;
  open(changes?: Request): Promise<Answer>;
  /** Sends the first step with this code. */
  type(code: string): Promise<Answer>;
  /** Opens the page and goes on to its second step. */
  reachConsent(limits?: Limits, changes?: Request): Promise<Answer>;
  eventsOf(kind: string): Promise<object[]>;
  grantsOf(): Promise<object[]>;
}

/** Defines the suite once per dialect. Guesses are limited, requests are not. */
export function describeConsent(title: string, define: (given: OAuthUnderTest, page: PageUnderTest) => void): void {
  describeOAuth(
    title,
    (given) => {
      const page = {} as PageUnderTest;
      beforeEach(async () => {
        const metadata = { client_name: 'Claude', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
        page.clientId = (await given.register(metadata)).body.client_id;
        page.visitor = createVisitor(given);
      });
      page.mint = (limits = {}) =>
        mintConnectionCode(given.store.db, {
          userId: given.userId,
          limits: { ...WHOLE_LIMITS, ...limits },
          now: given.now,
        });
      page.open = (changes = {}) => page.visitor.open(requestOf(page.clientId, changes));
      page.type = (code) => page.visitor.submit({ connection_code: code, decision: 'continue' });
      page.reachConsent = async (limits = {}, changes = {}) => {
        await page.open(changes);
        return page.type(await page.mint(limits));
      };
      page.eventsOf = (kind) =>
        given.store.db.selectFrom('audit_events').selectAll().where('type', '=', kind).execute();
      page.grantsOf = () => given.store.db.selectFrom('oauth_grants').selectAll().execute();
      define(given, page);
    },
    { limits: limitsWithout('registrations', 'consent-pages') },
  );
}
