/** The events of the core that a partner can receive, with the cause and the data of each, and the events of webhooks themselves. */

import { defineEvents, type PartnerEventText } from '../../../base/store/events.ts';

/** Events of endpoints. */
export const WEBHOOK_EVENTS = defineEvents('webhooks', {
  webhook_endpoint_added: 'A webhook endpoint was added.',
  webhook_endpoint_changed: 'A webhook endpoint was changed.',
  webhook_endpoint_removed: 'A webhook endpoint was removed.',
  webhook_endpoint_disabled: 'A webhook endpoint was disabled.',
  webhook_secret_rotated: 'A webhook endpoint got another secret.',
});

const TEXT_OF_GRANT = {
  grant_id: { meaning: 'id of the grant', example: '019a3c5e-91b7-7c44-8f1e-5d0c2f7a9b13' },
  client_id: { meaning: '`client_id` of the OAuth client; null: your own tokens', example: 'client-7f3a' },
};

const TEXT_OF_APPROVAL = {
  approval_id: { meaning: 'id of the approval', example: '019a3c5e-9a10-7b02-9c55-0e8d1b7f4c21' },
  tool: { meaning: 'name of the tool', example: 'mailer_delete_list' },
};

const TEXT_OF_SHARE = {
  team_id: { meaning: 'your name for the team', example: 'sales' },
  by: { meaning: '`partner`, `user` or `operator`', example: 'user' },
};

/** The types in the order of a connection's life. */
export const PARTNER_EVENTS = {
  'connection.created': {
    when: 'A code was redeemed, and the user had no such connection.',
    ofConnection: true,
    own: {},
  },
  'connection.attention': {
    when: 'The service refused the credential: the user must connect it again.',
    ofConnection: true,
    own: { reason: { meaning: '`credential_refused`', example: 'credential_refused' } },
  },
  'connection.recovered': {
    when: 'A connection that needed attention has a credential that works.',
    ofConnection: true,
    own: {},
  },
  'connection.removed': {
    when: 'You, the user or an operator removed it.',
    ofConnection: true,
    own: { by: { meaning: '`partner`, `user` or `operator`', example: 'user' } },
  },
  'connection.shared': {
    when: 'You or its owner shared it with a team, or changed whether members may write. `user_id` is the owner.',
    ofConnection: true,
    own: TEXT_OF_SHARE,
  },
  'connection.share_ended': {
    when: 'It is no longer shared with a team, and was not removed: someone ended that, or its owner connected another account in its place.',
    ofConnection: true,
    own: TEXT_OF_SHARE,
  },
  'grant.created': {
    when: 'The user allowed a client, or you redeemed a code.',
    ofConnection: false,
    own: TEXT_OF_GRANT,
  },
  'grant.attention': {
    when: 'Its refresh token was used from several networks at once: it may be stolen, or its client changed networks. Ask the user, or revoke it.',
    ofConnection: false,
    own: TEXT_OF_GRANT,
  },
  'grant.revoked': {
    when: 'Somebody revoked it, or its code or refresh token was used twice.',
    ofConnection: false,
    own: {
      ...TEXT_OF_GRANT,
      reason: {
        meaning:
          '`revoked-by-user`, `revoked-by-client`, `revoked-by-partner`, `revoked-by-operator`, `issuer-removed`, `code-replayed` or `refresh-token-replayed`',
        example: 'revoked-by-user',
      },
    },
  },
  'approval.requested': {
    when: 'A call waits for the approval of its user. Show it in your application, or send the user a link to its page.',
    ofConnection: true,
    own: {
      ...TEXT_OF_APPROVAL,
      page_url: {
        meaning: "the user's own page of this call, the `target` of a link; null: that page accepts no decisions",
        example: 'https://gateway.example/me/approvals/019a3c5e-9a10-7b02-9c55-0e8d1b7f4c21',
      },
    },
  },
  'approval.decided': {
    when: 'A call that waited was approved or denied.',
    ofConnection: true,
    own: {
      ...TEXT_OF_APPROVAL,
      decision: { meaning: '`approved` or `denied`', example: 'approved' },
      channel: { meaning: 'how: `page`, `partner` or `client`', example: 'page' },
    },
  },
  'user.removed': {
    when: 'The user is removed, with all connections and grants, which have no events of their own then.',
    ofConnection: false,
    own: {},
  },
} as const satisfies Readonly<Record<string, PartnerEventText>>;
