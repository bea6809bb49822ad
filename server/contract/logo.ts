/** The image of a service, for pages. */

/** At most 64 KiB. Never SVG: that is a document that can hold scripts. */
export interface ServiceLogo {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** SHA-256 of the image, in 32 hexadecimal digits: a new image has a new address. */
  readonly hash: string;
  readonly base64: string;
}
