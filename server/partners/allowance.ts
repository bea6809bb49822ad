/** The allowance of a user: what the partner lets it use at most. It counts for every grant and token of the user, from the next call on. */

import { z } from 'zod';
import { type Allowance, readAllowance, unexpiredAllowance } from '../base/principal/allowance.ts';
import { CATALOGUE_MODES } from '../base/principal/permission.ts';
import { emit } from '../base/store/events.ts';
import { ensureUser, findUser, setAllowance } from '../base/store/repositories/users.ts';
import { PARTNER_RULES } from '../call/tools/approvals/policy.ts';
import { EFFECTS } from '../call/tools/catalogue/facts.ts';
import { changePartner } from '../identity/partners/manage.ts';
import { operation } from './operation.ts';
import { time } from './shapes.ts';

/** Every call reads an allowance, so it is much smaller than a grant may be. */
const MAX_BYTES = 16_384;
const MAX_ENTRIES = 100;
const MAX_NAMES = 500;

const names = z.array(z.string().min(1).max(100)).max(MAX_NAMES);

/** An allowance that is set again with the same content is written only if it then lasts this part of `expires_in` longer. */
const RENEWED_PART = 0.1;
const MIN_SECONDS = 60;
const MAX_SECONDS = 366 * 86_400;

/** Null counts as absent. */
const allow = z
  .strictObject({
    services: names.nullish().meta({ description: 'Absent: every service.' }),
    effects: z.array(z.enum(EFFECTS)).nullish().meta({ description: 'Effects of tools. Absent: every effect.' }),
    tools: names.nullish().meta({ description: 'Absent: every tool.' }),
    accounts: z
      .record(z.string(), z.array(z.string().max(200)).max(100))
      .nullish()
      .meta({
        description:
          'By service, the only accounts that may be used, by `account_name` or `account` of the connection. Letter case does not matter.',
      }),
  })
  .meta({ id: 'Allow', description: 'A tool that fits all members may be called.' });

const members = {
  allows: z.array(allow).max(MAX_ENTRIES).nullish().meta({
    description:
      'A tool may be called if one of these allows it; an empty list allows none. Null or absent: every tool.',
  }),
  approvals: z.array(z.enum(PARTNER_RULES)).nullish().meta({
    description:
      'Kinds of calls that the user approves one by one, in addition to those of the operator, the partner and the user.',
  }),
  catalogue: z.enum(CATALOGUE_MODES).nullish().meta({
    description: 'How lists show tools, in place of what the grant says. Null or absent: as the grant says.',
  }),
};

const wantedAllowance = z
  .strictObject({
    ...members,
    expires_in: z.int().min(MIN_SECONDS).max(MAX_SECONDS).nullish().meta({
      description:
        'Seconds after which the user may use nothing, unless the allowance is set again: then no one keeps access because the partner stopped. Null or absent: it does not expire.',
    }),
  })
  .meta({ id: 'WantedAllowance' });

const allowance = z
  .object({ ...members, expires_at: time.nullable().meta({ description: 'Null: it does not expire.' }) })
  .meta({ id: 'Allowance' });

const requirement = z
  .strictObject({
    required: z.boolean().meta({
      description:
        'True: a user may use nothing until its allowance is set, however the gateway came to know it. False: everything.',
    }),
  })
  .meta({ id: 'AllowanceRequirement' });

export const ALLOWANCE_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/allowances',
      id: 'getAllowanceRequirement',
      summary: 'Whether your users need an allowance.',
      answers: { 200: 'The requirement. By default, none.' },
      answer: requirement,
    },
    async ({ partner }) => ({ required: partner.requiresAllowance }),
  ),
  operation(
    {
      method: 'put',
      path: '/allowances',
      id: 'putAllowanceRequirement',
      isLiveOnly: true,
      summary: 'Sets whether your users need an allowance. It counts from the next call on.',
      credentials: 'header',
      body: { schema: requirement, explain: () => 'required must be true or false.' },
      answers: { 200: 'The requirement.' },
      answer: requirement,
    },
    async (call, { db }) => {
      const { required } = await call.body();
      const { id, requiresAllowance } = call.partner;
      if (required !== requiresAllowance) {
        const change = { requiresAllowance: required };
        await db.transaction().execute((transaction) => changePartner(transaction, id, change, call.event()));
      }
      return { required };
    },
  ),
  operation(
    {
      method: 'get',
      path: '/users/:user_id/allowance',
      id: 'getAllowance',
      summary: 'What the partner allows a user at most.',
      answers: {
        200: 'The allowance. Without one, nothing is limited, unless you require allowances: then `allows` is empty.',
      },
      answer: allowance,
    },
    async ({ partner, userId }, { db }) => {
      const user = await findUser(db, { partnerId: partner.id, externalUserId: userId() });
      const requiresAllowance = Number(partner.requiresAllowance);
      const stored = user ?? { allowance: null, allowanceUntil: null, requiresAllowance };
      return describe(readAllowance(unexpiredAllowance(stored)), stored.allowanceUntil);
    },
  ),
  operation(
    {
      method: 'put',
      path: '/users/:user_id/allowance',
      id: 'putAllowance',
      summary:
        'Sets what the partner allows a user at most, whatever the user allows clients. It counts from the next call on. A user that the gateway does not know yet is created.',
      body: { schema: wantedAllowance, explain: explainAllowance, maxBytes: MAX_BYTES },
      answers: { 200: 'The allowance.' },
      answer: allowance,
      refusals: [413, 415],
    },
    async (call, { db }) => {
      const externalUserId = call.userId();
      const body = await call.body();
      const wanted = toAllowance(body);
      const event = call.event();
      const lifetimeMs = body.expires_in == null ? null : body.expires_in * 1000;
      const partnerId = call.partner.id;
      const until = await db.transaction().execute(async (transaction) => {
        const user = await ensureUser(transaction, { partnerId, externalUserId, now: event.now });
        const text = JSON.stringify(wanted);
        const isSame = user.allowance === text;
        if (isSame && lastsAsLong(user.allowanceUntil, lifetimeMs, event.now)) return user.allowanceUntil;
        const newUntil = lifetimeMs === null ? null : event.now + lifetimeMs;
        await setAllowance(transaction, user.id, { allowance: text, until: newUntil });
        if (!isSame) {
          const details = { allowance: wanted };
          await emit(transaction, { type: 'user_allowance_set', partnerId, userId: user.id, details, ...event });
        }
        return newUntil;
      });
      return describe(wanted, until);
    },
  ),
];

/** Returns true if an allowance lasts as long as is asked for, or nearly: a partner that confirms its users often causes few writes. */
function lastsAsLong(until: number | null, lifetimeMs: number | null, now: number): boolean {
  if (until === null || lifetimeMs === null) return until === lifetimeMs;
  return until >= now + lifetimeMs * (1 - RENEWED_PART) && until <= now + lifetimeMs;
}

function explainAllowance(issue: z.core.$ZodIssue | undefined): string {
  const place = issue?.path.join('.') ?? '';
  return place === ''
    ? 'The body must be a JSON object with allows, approvals, catalogue and expires_in.'
    : `${place}: ${issue?.message}.`;
}

function toAllowance({ allows, approvals, catalogue }: z.output<typeof wantedAllowance>): Allowance {
  return {
    allows: allows?.map(toAllow) ?? null,
    approvals: PARTNER_RULES.filter((kind) => approvals?.includes(kind)),
    catalogue: catalogue ?? null,
  };
}

function toAllow({ services, effects, tools, accounts }: z.output<typeof allow>) {
  const byService = Object.entries(accounts ?? {}).map(([service, list]) => [
    service,
    list.map((name) => name.toLowerCase()),
  ]);
  return {
    services: services ?? null,
    effects: EFFECTS.filter((effect) => effects?.includes(effect) ?? true),
    tools: tools ?? null,
    accounts: Object.fromEntries(byService) as Readonly<Record<string, readonly string[]>>,
  };
}

/** @param until milliseconds since 1970, or null. */
function describe(found: Allowance | null, until: number | null) {
  const { allows = null, approvals = [], catalogue = null } = found ?? {};
  return { allows, approvals: PARTNER_RULES.filter((kind) => approvals.includes(kind)), catalogue, expiresAt: until };
}
