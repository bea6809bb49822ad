/** Who is signed in. A real application has users and passwords; here a name is enough. */

import { randomBytes } from 'node:crypto';
import type { Conversation } from './conversation.ts';
import type { SignIn } from './mcp-client.ts';
import type { Answer } from './questions.ts';

/** A question to the assistant, its answer, and the requests that led to it. */
export interface Message {
  /** Key of `QUESTIONS`. */
  readonly id: string;
  readonly question: string;
  readonly answer: Answer;
  readonly conversation: Conversation;
}

export interface Session {
  readonly id: string;
  /** This application's name for the user, sent to the gateway as `user_id`. */
  readonly user: string;
  /** Returned with the code of a connect flow; proves that this browser began the flow. */
  readonly state: string;
  /** Shown once, on the next page. */
  notice: string | null;
  /** The latest connection code. */
  code: string | null;
  /** The assistant's sign-in, from its first request on. */
  signIn: SignIn | null;
  /** The assistant's access token, or null if the user has not given it access. */
  token: string | null;
  /** The latest questions to the assistant, oldest first. */
  messages: readonly Message[];
}

const COOKIE = 'partner_app_session';
const MAX_SESSIONS = 1000;

export function createSessions() {
  const sessions = new Map<string, Session>();
  return {
    /** @returns the cookie. */
    start(user: string): string {
      const id = randomBytes(24).toString('base64url');
      const name = user.trim().slice(0, 50) || 'maya';
      const state = randomBytes(16).toString('base64url');
      const nothing = { notice: null, code: null, signIn: null, token: null, messages: [] };
      sessions.set(id, { id, user: name, state, ...nothing });
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
    },
    find(cookies = ''): Session | null {
      const [, id = ''] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(cookies) ?? [];
      return sessions.get(id) ?? null;
    },
    end(session: Session): void {
      sessions.delete(session.id);
    },
  };
}
