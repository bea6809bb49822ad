/** Of a first run. The only one whose folder is made: any other may be mistyped. */
export const DEFAULT_DATABASE_URL = 'sqlite:data/gateway.sqlite';
