/** The events of a connector, which its service reports by calling the gateway, and the verification of such a call. */

import type { ObjectSchema } from './tool-face.ts';

/** A member of the body or a header of a call of the service: `body.x.y` or `header.X-Name`. */
type EventPlace = string;

/** HMAC-SHA256 under the bytes of a secret text. */
export interface HmacSignature {
  readonly header: string;
  /** Text before the signature in the header, or in one of its parts between commas or spaces. */
  readonly prefix?: string;
  readonly encoding: 'hex' | 'base64';
  /** A header with seconds since 1970, or an HTTP date. */
  readonly timestampHeader?: string;
  /** Text before the seconds in a part of the signature header. Without this and `timestampHeader`, calls have no time. */
  readonly timestampPrefix?: string;
  /** Template of the signed text, with `{body}` and `{timestamp}`. */
  readonly signed: string;
}

/** All events of a service. */
export interface ServiceEvents {
  /** `standard-webhooks`: version 1.0, with symmetric signatures. */
  readonly signature: 'standard-webhooks' | HmacSignature;
  /** The member or header that names the type of an event. */
  readonly type: EventPlace;
  /** The member or header with the id of a call. Default: `webhook-id`, or a hash of the signed text. */
  readonly id?: EventPlace;
  /** The member or header with a date-time, or seconds since 1970. Default: the time at which the call arrived. */
  readonly time?: EventPlace;
  /** Dotted member of the body that subscribers get. Default: the whole body. */
  readonly data?: string;
  readonly types: readonly EventType[];
}

/** One type of event (SEP-3415, `events/list`). */
export interface EventType {
  readonly name: string;
  readonly description: string;
  /** The value of `ServiceEvents.type` for this event. */
  readonly value: string;
  /** A reading tool. A caller that may not use it cannot subscribe to this event. */
  readonly tool: string;
  /** Schema of the arguments of a subscription. */
  readonly inputSchema: ObjectSchema;
  readonly payloadSchema: ObjectSchema;
  /** By dotted member of the payload: the argument that it must equal. */
  readonly filters: Readonly<Record<string, string>>;
  /** See `ResultRule`. */
  readonly withhold?: Readonly<Record<string, 'drop' | 'replace'>>;
}
