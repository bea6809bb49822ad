/** Why the connect page is shown again, in words. */

import { toPlainText } from '../base/pages/plain-text.ts';

/**
 * Why the last form was not accepted.
 *
 * `said` is the upstream's answer in a sentence, or its error code. `not-granted`: the upstream's sign-in ended without a code.
 * `not-exchanged`: its code gave no token. `not-set-up`: the gateway is not registered there, or its registration is refused.
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
  | { readonly kind: 'refused' | 'unavailable'; readonly said: string }
  | { readonly kind: 'unfit'; readonly label: string }
  | { readonly kind: 'not-granted'; readonly said: string | null };

const MAX_SAID_LENGTH = 300;
const NOTHING_KEPT = 'Nothing was saved.';

/** Whether the person has to correct what was typed. */
export function isAboutFields({ kind }: ConnectProblem): boolean {
  return kind === 'missing' || kind === 'unsendable' || kind === 'unfit' || kind === 'refused';
}

/** HTTP status of the page. */
export function statusOf({ kind }: ConnectProblem): number {
  if (kind === 'too-many') return 429;
  if (kind === 'unavailable') return 502;
  return kind === 'not-set-up' ? 503 : 400;
}

/** @param title the connector's. */
export function wordsOf(problem: ConnectProblem, title: string): [title: string, text: string] {
  switch (problem.kind) {
    case 'missing':
      return ['Something is missing', 'Fill in every field, then try again.'];
    case 'unsendable':
      return [
        'This cannot be right',
        `It contains characters that cannot be sent to ${title}, or is far too long. Copy it again. ${NOTHING_KEPT}`,
      ];
    case 'unfit':
      return [
        'This cannot be right',
        `${problem.label} does not have the form that it has at ${title}. Copy it again, without an address around it. ${NOTHING_KEPT}`,
      ];
    case 'too-many':
      return ['Too many attempts', `Wait 10 minutes, then go back to the application and start again. ${NOTHING_KEPT}`];
    case 'refused':
      return [`${title} did not accept it`, `${shorten(problem.said)} ${NOTHING_KEPT}`];
    case 'unavailable':
      return [`${title} could not check it`, `${shorten(problem.said)} ${NOTHING_KEPT} Try again in a moment.`];
    case 'not-granted':
      return [
        `${title} did not grant access`,
        `${problem.said === null ? '' : `It says: ${shorten(problem.said)}. `}${NOTHING_KEPT} Try again, or cancel.`,
      ];
    case 'not-exchanged':
      return ['This took too long', `${title} no longer accepts this sign-in. ${NOTHING_KEPT} Try again.`];
    case 'mixed-up':
      return ['The answer came from elsewhere', `It does not name ${title} as its sender. ${NOTHING_KEPT}`];
    case 'not-extended':
      return [
        `${title} has to be connected first`,
        `This is added to a connection that works. Connect ${title} with the form above; of several accounts, open this page for one of them. ${NOTHING_KEPT}`,
      ];
    case 'not-set-up':
      return [
        `${title} is not set up here`,
        `The operator of this gateway has to register it at ${title} first. ${NOTHING_KEPT} Tell the people who run the application.`,
      ];
  }
}

function shorten(said: string): string {
  return toPlainText(said, MAX_SAID_LENGTH) ?? '';
}
