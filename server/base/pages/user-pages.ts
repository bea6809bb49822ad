/** The pages that modules add to the user's own page, at `/me/<name>/<id>`. */

import type { GatewayContext } from '../http/state.ts';
import type { Partner } from '../store/repositories/partners.ts';
import type { User } from '../store/repositories/users.ts';
import type { Html } from './html.ts';

/** A request in a user's session. It may see and change only what belongs to the user. */
export interface UserPageRequest {
  readonly ctx: GatewayContext;
  readonly user: User;
  readonly partner: Partner;
  /** Milliseconds since 1970; one value for the whole request. */
  readonly now: number;
  /** The value of the field `csrf` in every form of the page. */
  readonly csrf: string;
  /** A segment of the path, decoded. */
  param(name: string): string;
}

/** The outcome of a request: a page, or a redirect to another URL of the page (303). */
export type Outcome =
  | { readonly title: string; readonly content: Html; readonly status?: number }
  | { readonly redirect: string };

/** Pages that are each for one user. Other users are refused, and a browser without a session is asked to sign in. */
export interface UserPage {
  readonly name: string;
  /** Says at the sign-in why the page was opened. One sentence. */
  readonly reason: string;
  /** Finds the row id of the user whom a page is for. */
  readonly findUser: (id: string) => Promise<string | undefined>;
  /** Called with the parameter `id`. @throws {PageError} 404. */
  readonly show: (request: UserPageRequest) => Promise<Outcome>;
  /** Handles a form of the page. It reads the body, and compares the field `csrf`. */
  readonly submit: (request: UserPageRequest) => Promise<Outcome>;
}
