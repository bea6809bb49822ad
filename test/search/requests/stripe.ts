/** Requests for the tools of Stripe's API. */

import type { SearchRequest } from './request.ts';

export const STRIPE_REQUESTS: readonly SearchRequest[] = [
  ['create a customer', 'stripe_post_customers'],
  ['update a customer', 'stripe_post_customers_customer'],
  ['list customers', 'stripe_get_customers'],
  ['search customers', 'stripe_get_customers_search'],
  ['delete a customer', 'stripe_delete_customers_customer'],
  ['refund a charge', 'stripe_post_refunds', 'stripe_post_charges_charge_refund'],
  ['list refunds', 'stripe_get_refunds'],
  ['what is our balance', 'stripe_get_balance'],
  ['list balance transactions', 'stripe_get_balance_transactions'],
  ['create a payment intent', 'stripe_post_payment_intents'],
  ['cancel a payment intent', 'stripe_post_payment_intents_intent_cancel'],
  ['capture a payment', 'stripe_post_payment_intents_intent_capture', 'stripe_post_charges_charge_capture'],
  ['send an invoice', 'stripe_post_invoices_invoice_send'],
  ['void an invoice', 'stripe_post_invoices_invoice_void'],
  ['upcoming invoice', 'stripe_get_invoices_upcoming'],
  ['list subscriptions', 'stripe_get_subscriptions'],
  ['cancel a subscription', 'stripe_delete_subs_sub_exposed_id'],
  ['create a product', 'stripe_post_products'],
  ['new price', 'stripe_post_prices'],
  ['make a coupon', 'stripe_post_coupons'],
  ['list disputes', 'stripe_get_disputes'],
  ['pay out money to the bank', 'stripe_post_payouts'],
  ['list payouts', 'stripe_get_payouts'],
  ['create a checkout session', 'stripe_post_checkout_sessions'],
  ['create a payment link', 'stripe_post_payment_links'],
  ['add a webhook endpoint', 'stripe_post_webhook_endpoints'],
  ['payment methods of a customer', 'stripe_get_customers_customer_payment_methods'],
  ['accept a quote', 'stripe_post_quotes_quote_accept'],
];
