/** The default of `DATABASE_URL`. Only this folder is created: any other may be a typing error. */
export const DEFAULT_DATABASE_URL = 'sqlite:data/gateway.sqlite';
