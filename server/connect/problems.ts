/** Texts for the problems because of which the connect page is shown again. */

import { oauth2PartOf } from '../base/credentials/kinds.ts';
import { toPlainText } from '../base/pages/html.ts';
import type { CredentialKind } from '../contract/index.ts';

/**
 * The reason why the last form was not accepted.
 *
 * `explanation` is a sentence with the upstream's message, or its error code. `not-granted`: the upstream's sign-in ended without a code. `not-exchanged`:
 * its code gave no token. `not-set-up`: the gateway is not registered there, or its registration is refused.
 */
export type ConnectProblem =
  | {
      readonly kind:
        | 'missing'
        | 'unsendable'
        | 'too-many'
        | 'not-set-up'
        | 'not-exchanged'
        | 'mixed-up'
        | 'not-extended';
    }
  | { readonly kind: 'refused' | 'unavailable'; readonly explanation: string }
  | { readonly kind: 'unfit'; readonly label: string }
  | { readonly kind: 'not-granted'; readonly explanation: string | null };

const MAX_MESSAGE_LENGTH = 300;
const NOTHING_SAVED = 'Nothing was saved.';

/** Returns true if the person has to correct what was typed. */
export function isAboutFields({ kind }: ConnectProblem): boolean {
  return kind === 'missing' || kind === 'unsendable' || kind === 'unfit' || kind === 'refused';
}

/** HTTP status of the page. */
export function statusOf({ kind }: ConnectProblem): number {
  if (kind === 'too-many') return 429;
  if (kind === 'unavailable') return 502;
  return kind === 'not-set-up' ? 503 : 400;
}

/** The word of the pages for a credential. */
type CredentialNoun = 'key' | 'login' | 'sign-in';

export function nounOf(kind: CredentialKind | undefined): CredentialNoun {
  if (kind === undefined) return 'login';
  if (oauth2PartOf(kind) !== undefined) return 'sign-in';
  return kind.parts.length === 1 && kind.parts[0]?.type !== 'basic' ? 'key' : 'login';
}

const RETRY_ADVICE: Readonly<Record<CredentialNoun, string>> = {
  key: 'Copy the whole key again, and paste it here.',
  login: 'Compare what you typed with your login there.',
  'sign-in': 'Sign in again, or with another account.',
};

/** @param title the connector's. @param noun of the credential that was sent. */
export function describeProblem(
  problem: ConnectProblem,
  title: string,
  noun: CredentialNoun,
): [title: string, text: string] {
  switch (problem.kind) {
    case 'missing':
      return ['Something is missing', 'Fill in every field, then try again.'];
    case 'unsendable':
      return [
        'This cannot be right',
        `It is far too long, or has characters that cannot be sent to ${title}. Copy it again. ${NOTHING_SAVED}`,
      ];
    case 'unfit':
      return [
        'This cannot be right',
        `${problem.label} does not look as it does at ${title}. Copy it again, without an address around it. ${NOTHING_SAVED}`,
      ];
    case 'too-many':
      return ['Too many attempts', `Wait 10 minutes, then start again in the application. ${NOTHING_SAVED}`];
    case 'refused':
      return [
        `${title} rejected this ${noun}`,
        `${shorten(problem.explanation)} ${RETRY_ADVICE[noun]} ${NOTHING_SAVED}`,
      ];
    case 'unavailable':
      return [
        `${title} could not check this ${noun}`,
        `${shorten(problem.explanation)} ${NOTHING_SAVED} Try again in a moment.`,
      ];
    case 'not-granted':
      return [
        `${title} did not grant access`,
        `${problem.explanation === null ? '' : `It says: “${shorten(problem.explanation)}”. `}${NOTHING_SAVED} Try again, or cancel.`,
      ];
    case 'not-exchanged':
      return ['This took too long', `${title} no longer accepts this sign-in. ${NOTHING_SAVED} Try again.`];
    case 'mixed-up':
      return [
        `The answer did not come from ${title}`,
        `${NOTHING_SAVED} Try again. If it happens again, tell the people who run the application.`,
      ];
    case 'not-extended':
      return [
        `${title} has to be connected first`,
        `Connect ${title} with the form above. If you have several accounts, open this page for one of them. ${NOTHING_SAVED}`,
      ];
    case 'not-set-up':
      return [
        `${title} is not set up here`,
        `Tell the people who run the application: its gateway has to be registered at ${title} as an OAuth client first. ${NOTHING_SAVED}`,
      ];
  }
}

function shorten(message: string): string {
  return toPlainText(message, MAX_MESSAGE_LENGTH) ?? '';
}
