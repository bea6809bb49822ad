/** Requests for the tools of Stripe's API. */

import type { SearchRequest } from './request.ts';

export const STRIPE_REQUESTS: readonly SearchRequest[] = [
  ['create a customer', 'stripe_create_customer'],
  ['update a customer', 'stripe_post_customer'],
  ['list customers', 'stripe_list_customers'],
  ['search customers', 'stripe_get_customers_search'],
  ['delete a customer', 'stripe_delete_customer'],
  ['refund a charge', 'stripe_create_refund', 'stripe_post_charges_charge_refund'],
  ['list refunds', 'stripe_list_refunds'],
  ['what is our balance', 'stripe_get_balance'],
  ['list balance transactions', 'stripe_list_balance_transactions'],
  ['create a payment intent', 'stripe_create_payment_intent'],
  ['cancel a payment intent', 'stripe_post_payment_intent_cancel'],
  ['capture a payment', 'stripe_post_payment_intent_capture', 'stripe_post_charge_capture'],
  ['send an invoice', 'stripe_post_invoice_send'],
  ['void an invoice', 'stripe_post_invoice_void'],
  ['upcoming invoice', 'stripe_get_invoices_upcoming'],
  ['list subscriptions', 'stripe_list_subscriptions'],
  ['cancel a subscription', 'stripe_delete_subscription'],
  ['create a product', 'stripe_create_product'],
  ['new price', 'stripe_create_price'],
  ['make a coupon', 'stripe_create_coupon'],
  ['list disputes', 'stripe_list_disputes'],
  ['pay out money to the bank', 'stripe_create_payout'],
  ['list payouts', 'stripe_list_payouts'],
  ['create a checkout session', 'stripe_create_checkout_session'],
  ['create a payment link', 'stripe_create_payment_link'],
  ['add a webhook endpoint', 'stripe_create_webhook_endpoint'],
  ['payment methods of a customer', 'stripe_list_customer_payment_methods'],
  ['accept a quote', 'stripe_post_quote_accept'],
];
