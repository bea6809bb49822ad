/** Checks people at the provider again, and brings their access up to date. One process checks a person at a time. */

import type { Logger } from 'pino';
import type { OpenIdClaims, OpenIdClient } from '../../../server/base/http/openid-client.ts';
import type { PartnerClient } from '../../partner/index.ts';
import {
  applyAccess,
  hasLiveAccess,
  lifetimeOf,
  requireAllowances,
  revokeEverything,
  suspendAccess,
} from '../allowance.ts';
import type { PortalConfig, ProviderSettings } from '../config.ts';
import type { Person } from '../request.ts';
import { accessOf } from '../rules/access.ts';
import { ClaimsError, readPerson } from '../sign-in/claims.ts';
import type { HeldPerson, People } from '../store/people.ts';

interface CheckDependencies {
  readonly people: People;
  readonly partner: PartnerClient;
  readonly client: OpenIdClient;
  readonly provider: ProviderSettings;
  readonly config: PortalConfig;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Running checks. */
export interface Checks {
  /** Checks everyone whose check is due. Resolves when that is done. */
  runDue(): Promise<void>;
  /** Starts no further check, and waits for those that run. */
  close(): Promise<void>;
}

/** Pause between two looks for people whose check is due. */
const LOOK_INTERVAL_MS = 1_000;

/** People that one process checks at once, and so at most in a second. */
const CONCURRENT_CHECKS = 10;

/** Pause after a check that could not reach the provider or the gateway. It is no longer than the check interval. */
const RETRY_MS = 60_000;

/** Time for which the grants of a person whom the provider refuses are kept, without any access. */
const REVOKE_AFTER_MS = 7 * 86_400_000;

const PURGE_INTERVAL_MS = 300_000;

/** Begins to check people in the background. The first check also tells the gateway that people need an allowance. */
export function startChecks(deps: CheckDependencies): Checks {
  let running: Promise<void> | null = null;
  let isClosed = false;
  let isRequired = false;
  let nextTryAt = 0;
  const requireOnce = async (): Promise<void> => {
    if (isRequired || deps.now() < nextTryAt) return;
    nextTryAt = retryAt(deps);
    try {
      await requireAllowances(deps.partner);
      isRequired = true;
    } catch (error) {
      deps.log.error({ err: error }, 'the gateway could not be told that people need an allowance');
    }
  };
  const run = async (): Promise<void> => {
    await requireOnce();
    await checkDue(deps);
  };
  const runDue = (): Promise<void> => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
  const look = setInterval(() => {
    runDue().catch((error: unknown) => deps.log.error({ err: error }, 'people could not be checked'));
  }, LOOK_INTERVAL_MS);
  const purge = setInterval(() => {
    deps.people
      .purge(deps.now())
      .catch((error: unknown) => deps.log.error({ err: error }, 'expired sessions could not be deleted'));
  }, PURGE_INTERVAL_MS);
  look.unref();
  purge.unref();
  return {
    runDue: async () => (isClosed ? undefined : runDue()),
    async close() {
      isClosed = true;
      clearInterval(look);
      clearInterval(purge);
      await running?.catch(() => {});
    },
  };
}

async function checkDue(deps: CheckDependencies): Promise<void> {
  const due = await deps.people.takeDue(CONCURRENT_CHECKS, deps.now());
  await Promise.all(
    due.map(async (person) => {
      try {
        await check(person, deps);
      } catch (error) {
        deps.log.error({ err: error, person: person.userId }, 'a person could not be checked');
        await deps.people.change(person, { nextCheckAt: retryAt(deps) });
      } finally {
        await deps.people.release(person, deps.now());
      }
    }),
  );
}

/** @throws if the gateway or the store does not answer: then the person is checked again soon. */
async function check(person: HeldPerson, deps: CheckDependencies): Promise<void> {
  const { people, partner, now, log } = deps;
  if (person.goneAt !== null) return endAccess(person, person.goneAt, deps);
  if (!(await people.hasSession(person.userId, now())) && !(await hasLiveAccess(partner, person.userId))) {
    await suspendAccess(partner, person.userId);
    return people.remove(person);
  }
  if (person.refreshToken === null) return keepUnconfirmed(person, deps);
  const { refreshToken, subject } = person;
  const answer = await deps.client.refresh(refreshToken, subject).catch((error: unknown) => {
    log.warn({ err: error, person: person.userId }, 'the provider could not be asked about a person');
    return null;
  });
  if (answer === null) return keepUnconfirmed(person, deps);
  if (answer.kind === 'gone') {
    log.info({ person: person.userId }, 'the provider refuses a person: their access ends');
    return refuse(person, deps);
  }
  // A rotated refresh token is stored before anything else can fail.
  const isHeld = await people.change(person, { refreshToken: answer.refreshToken, nextCheckAt: retryAt(deps) });
  if (!isHeld) return;
  const described = readDescription(person, answer.claims, deps);
  if (described === null) return keepUnconfirmed(person, deps);
  if (described.userId !== person.userId) {
    log.warn({ person: person.userId }, 'the provider names another user_id for a person: their access ends');
    return refuse(person, deps);
  }
  const access = accessOf(described.groups, deps.config.rules);
  await applyAccess(partner, person.userId, access, lifetimeOf(deps.config));
  const { name, groups } = described;
  await people.change(person, { name, groups, verifiedAt: now(), nextCheckAt: nextCheckAt(deps) });
}

/** Returns the person as the provider describes them now: as before if it says nothing. Null if its claims do not say who it is. */
function readDescription(person: HeldPerson, claims: OpenIdClaims | null, deps: CheckDependencies): Person | null {
  if (claims === null) return person;
  try {
    return readPerson({ sub: person.subject, ...claims }, deps.provider);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    deps.log.warn({ err: error, person: person.userId }, 'the provider no longer says who a person is');
    return null;
  }
}

/** Ends the access of a person whom the provider refuses. The refusal is stored first, so that it also counts if the gateway does not answer. */
async function refuse(person: HeldPerson, deps: CheckDependencies): Promise<void> {
  const goneAt = deps.now();
  const isHeld = await deps.people.change(person, { goneAt, refreshToken: null, nextCheckAt: goneAt });
  if (isHeld) await endAccess(person, goneAt, deps);
}

/**
 * Ends the sessions of a person who is gone: they may use nothing from now on. A provider also refuses the refresh token of a person who works
 * there, if an answer with the next one was lost. So grants are revoked later, and work again if the person signs in before that.
 *
 * @param goneAt time of the refusal, in milliseconds since 1970.
 */
async function endAccess(person: HeldPerson, goneAt: number, deps: CheckDependencies): Promise<void> {
  const { people, partner, now } = deps;
  const revokeAt = goneAt + REVOKE_AFTER_MS;
  await people.endSessionsOf(person);
  if (now() < revokeAt) {
    await suspendAccess(partner, person.userId);
    await people.change(person, { nextCheckAt: revokeAt });
    return;
  }
  await revokeEverything(partner, person.userId);
  await people.remove(person);
}

/** Keeps the access of a person whom the provider does not confirm, until the grace ends. Grants stay: the next confirmation gives access back. */
async function keepUnconfirmed(person: HeldPerson, deps: CheckDependencies): Promise<void> {
  const { people, partner, config, now, log } = deps;
  const graceEnds = person.verifiedAt + config.graceSeconds * 1000;
  if (now() < graceEnds) {
    const next = person.refreshToken === null ? Math.min(nextCheckAt(deps), graceEnds) : retryAt(deps);
    await people.change(person, { nextCheckAt: next });
    return;
  }
  log.warn({ person: person.userId }, 'the provider has not confirmed a person for PORTAL_GRACE_SECONDS: access ends');
  await people.endSessionsOf(person);
  await suspendAccess(partner, person.userId);
  if (person.refreshToken === null) await people.remove(person);
  else await people.change(person, { nextCheckAt: nextCheckAt(deps) });
}

function nextCheckAt({ now, config }: CheckDependencies): number {
  return now() + config.checkSeconds * 1000;
}

function retryAt({ now, config }: CheckDependencies): number {
  return now() + Math.min(RETRY_MS, config.checkSeconds * 1000);
}
