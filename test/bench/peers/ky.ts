import ky from 'ky'
import { ORDERS, plainShop } from './page.ts'

/** As it comes: a POST is not sent again. https://github.com/sindresorhus/ky#retry */
plainShop(order => ky.post(ORDERS, { json: order }).json())
