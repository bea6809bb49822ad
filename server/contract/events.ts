/** The events of a connector: what its service tells by calling the gateway, and how such a call is verified. */

import type { ObjectSchema } from './tool-face.ts';

/** A place of a call of the service: `body.x.y` or `header.X-Name`. */
type EventPlace = string;

/** HMAC-SHA256 under the bytes of a secret text. */
export interface HmacSignature {
  readonly header: string;
  /** What comes before the signature in the header, or in one of its parts between commas or spaces. Absent: nothing. */
  readonly prefix?: string;
  readonly encoding: 'hex' | 'base64';
  /** A header with seconds since 1970, or an HTTP date. Absent: see `timestampPrefix`. */
  readonly timestampHeader?: string;
  /** What comes before the seconds in a part of the signature header. Without both, calls have no time. */
  readonly timestampPrefix?: string;
  /** What is signed, with `{body}` and `{timestamp}`. */
  readonly signed: string;
}

/** All events of a service. */
export interface ServiceEvents {
  /** `standard-webhooks`: version 1.0, with symmetric signatures. */
  readonly signature: 'standard-webhooks' | HmacSignature;
  /** Where a call says which event it is. */
  readonly type: EventPlace;
  /** Where a call has its id. Absent: `webhook-id`, or a hash of what was signed. */
  readonly id?: EventPlace;
  /** A date-time, or seconds since 1970. Absent: when the call came. */
  readonly time?: EventPlace;
  /** Dotted member of the body that subscribers get. Absent: the whole body. */
  readonly data?: string;
  readonly types: readonly EventType[];
}

/** One type of event (SEP-3415, `events/list`). */
export interface EventType {
  readonly name: string;
  readonly description: string;
  /** What `ServiceEvents.type` holds. */
  readonly value: string;
  /** A tool that only reads: a caller without it has no such event. */
  readonly tool: string;
  /** Of the arguments of a subscription. */
  readonly inputSchema: ObjectSchema;
  readonly payloadSchema: ObjectSchema;
  /** By dotted member of the payload: the argument that it must equal. */
  readonly filters: Readonly<Record<string, string>>;
  /** See `ResultRule`. */
  readonly withhold?: Readonly<Record<string, 'drop' | 'replace'>>;
}
