import axios from 'axios'
import axiosRetry, { exponentialDelay } from 'axios-retry'
import { keyByHand, ORDERS, plainShop } from './page.ts'

/** https://github.com/softonic/axios-retry#usage: a network error is tried again by default, also of a POST. */
const api = axios.create()
axiosRetry(api, { retries: 3, retryDelay: exponentialDelay })

plainShop(order => api.post(ORDERS, order, { headers: keyByHand() }))
