(require '[clojure.string :as string])
(defprotocol Shown (shown [this]))
(defrecord Pair [word times] Shown (shown [_] (str word " " times)))
(def text "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill")
(defn step [counts word] (update counts word (fnil inc 0)))
(let [counts (reduce step {} (mapcat (fn [_] (string/split text #" ")) (range 500)))]
  (doseq [[word times] (sort-by (juxt (comp - val) key) counts)] (println (shown (->Pair word times)))))
(println (try (/ 1 0) (catch ArithmeticException broken (.getMessage broken))))
