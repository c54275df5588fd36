import ky from 'ky'
import { keyByHand, ORDERS, plainShop } from './page.ts'

/** POST among the methods, full jitter: https://github.com/sindresorhus/ky#retry */
const api = ky.create({ retry: { limit: 3, methods: ['post'], jitter: true } })

plainShop(order => api.post(ORDERS, { json: order, headers: keyByHand() }).json())
