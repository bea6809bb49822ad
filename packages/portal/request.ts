/** The interface of the portal's pages: the input of every handler, and its outcome. */

import type { GatewayContext } from '../../server/base/http/state.ts';
import type { Html } from '../../server/base/pages/html.ts';
import type { Layout } from '../../server/base/pages/page.ts';
import type { PartnerClient } from '../partner/index.ts';
import type { PersonAccess, RuleExplanation } from './rules/access.ts';

/** The person who is signed in, as the company's provider describes them. */
export interface Person {
  /** `user_id` at the gateway. */
  readonly userId: string;
  /** For people. The provider's `name`, `preferred_username` or `email`; else `userId`. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** A request of a signed-in person. */
export interface PortalRequest {
  readonly ctx: GatewayContext;
  readonly person: Person;
  /** A client of the gateway's partner API. It reaches every user of the portal: name `person.userId`, never a value of the request. */
  readonly partner: PartnerClient;
  /** The gateway's origin, as browsers reach it, without a final slash. */
  readonly gateway: string;
  /** The portal's origin, without a final slash. */
  readonly origin: string;
  /** Limits of the person, from the rules for their groups. */
  readonly access: PersonAccess;
  /** What the rules give the person, by rule. */
  explain(): readonly RuleExplanation[];
  /** All rules. Null unless the rules make the person an administrator. */
  explainAll(): readonly RuleExplanation[] | null;
  /** Milliseconds since 1970; one value for the whole request. */
  readonly now: number;
  /** The value of the field `csrf` in every form. */
  readonly csrf: string;
  /** A message that the last request left, to be shown once. Null if there is none. */
  readonly flash: string | null;
  /** A segment of the path, decoded; empty text if the path has none of that name. */
  param(name: string): string;
  /** A query parameter. Null if it is missing. */
  query(name: string): string | null;
}

/** A form that the person submitted from a page of the portal: `csrf` and the origin are checked. */
export interface PortalAction extends PortalRequest {
  readonly form: URLSearchParams;
}

/** A page, JSON for a script of a page, or a redirect (303) to a path of the portal or to the gateway. */
export type PortalOutcome =
  | {
      readonly title: string;
      readonly content: Html;
      /** Default: 200. */
      readonly status?: number;
      /** Default: the portal's frame with its navigation. */
      readonly layout?: Layout;
      /** Sources of `form-action` in addition to the portal. Default: none. */
      readonly formTargets?: readonly string[];
    }
  | { readonly json: object }
  | {
      /** A path of the portal, such as `/services`, or an address of the gateway. Another address fails. */
      readonly redirect: string;
      /** Shown once, on the next page. Default: nothing. */
      readonly flash?: string;
    };

/** A page or a form of the portal. Only a signed-in person reaches it. */
export type PortalPage =
  | {
      readonly method: 'GET';
      /** As `@koa/router` writes it, such as `/clients/:client`. */
      readonly path: string;
      readonly handle: (request: PortalRequest) => Promise<PortalOutcome> | PortalOutcome;
    }
  | {
      readonly method: 'POST';
      readonly path: string;
      readonly handle: (action: PortalAction) => Promise<PortalOutcome> | PortalOutcome;
    };

/** Returns the frame of a page, with the navigation. */
export type PortalFrame = (request: PortalRequest) => Layout;
