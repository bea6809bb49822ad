/** The events a partner can receive: when each is sent, and its data. */

interface EventTypeText {
  readonly when: string;
  /** True if the event concerns one connection: it then has `service` and `connection_id`. */
  readonly ofConnection: boolean;
  /** Members of `data` that only this type has, each with its meaning and an example. */
  readonly own: Readonly<Record<string, { readonly meaning: string; readonly example: string | null }>>;
}

const TEXT_OF_GRANT = {
  grant_id: { meaning: 'id of the grant', example: '019a3c5e-91b7-7c44-8f1e-5d0c2f7a9b13' },
  client_id: { meaning: '`client_id` of the OAuth client; null: your own tokens', example: 'client-7f3a' },
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
  'grant.created': {
    when: 'The user allowed a client, or you redeemed a code.',
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
  'user.removed': {
    when: 'The user is removed, with all connections and grants, which have no events of their own then.',
    ofConnection: false,
    own: {},
  },
  'tool.deprecated_called': {
    when: 'A tool was called by an old name: once a day for a connection and a name.',
    ofConnection: true,
    own: {
      called_as: { meaning: 'the old name', example: 'crm_person' },
      tool: { meaning: 'the name to call', example: 'crm_get_person' },
      until: { meaning: 'the day on which the old name ends; null: not decided', example: '2027-03-01' },
    },
  },
} as const satisfies Readonly<Record<string, EventTypeText>>;

export type PartnerEventType = keyof typeof PARTNER_EVENTS;

export const PARTNER_EVENT_TYPES = Object.keys(PARTNER_EVENTS) as readonly PartnerEventType[];

/** Members of `data` that only this type has: no secrets, and no text of an upstream. */
export type DataOf<Type extends PartnerEventType> = Readonly<
  Record<keyof (typeof PARTNER_EVENTS)[Type]['own'], string | null>
>;
