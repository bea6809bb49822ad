/** A person on the consent page of a registered client, whose user has also connected the mailer. */

import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { connect } from '../../base/store/fixtures.ts';
import { createVisitor, requestOf } from './page-visitor.ts';
import type { OAuthUnderTest, Parameters } from './support.ts';

const HELD = /name="held" value="([^"]*)"/;

export type ConsentVisit = Awaited<ReturnType<typeof visitConsent>>;

export async function visitConsent(given: OAuthUnderTest) {
  await connect(given.store, { userId: given.userId, service: 'mailer', status: 'active' });
  const { client_id: clientId } = (await given.register()).body;
  const visit = {
    clientId: clientId as string,
    visitor: createVisitor(given),
    /** The field of the page that names the grant it compares with. */
    held: [] as string[],

    async reach(limits: object = {}, request: Parameters = {}) {
      await visit.visitor.open(requestOf(visit.clientId, request));
      given.now += 1000;
      const { userId, now } = given;
      const connection_code = await mintConnectionCode(given.store.db, {
        userId,
        limits: { ...WHOLE_LIMITS, ...limits },
        now,
      });
      const page = await visit.visitor.submit({ connection_code });
      visit.held = HELD.exec(page.body)?.slice(1) ?? [];
      return page;
    },
    allow: (fields: Record<string, string | string[]> = {}) =>
      visit.visitor.submit({
        decision: 'allow',
        ...(visit.held.length === 0 ? {} : { held: visit.held }),
        ...fields,
      }),

    async granted() {
      const rows = await given.store.db.selectFrom('oauth_grants').selectAll().orderBy('id', 'desc').execute();
      const { seen: _, ...permission } = JSON.parse(rows[0]?.permission ?? '{}');
      return { scopes: rows[0]?.scopes, ...permission };
    },
  };
  return visit;
}
