-- Harbours and their readings.
CREATE TABLE harbour (
    id INTEGER PRIMARY KEY,
    name VARCHAR(20) NOT NULL,
    depth DECIMAL(5, 2) DEFAULT 1.5
);

/* The largest change
   between two readings. */
SELECT h.name AS place, MAX(r.level - p.level) AS swing, COUNT(*)
FROM harbour h
INNER JOIN reading r ON r.harbour_id = h.id
LEFT JOIN reading p ON p.id = r.id - 1
WHERE r.level >= 31 AND NOT (r.level = 42) OR h.name <> 'ea''st'
GROUP BY h.name
HAVING SUM(r.level) BETWEEN 1 AND 100
ORDER BY swing DESC
LIMIT 10;

INSERT INTO harbour (id, name) VALUES (1, 'east'), (2, 'west');
UPDATE harbour SET depth = CASE WHEN depth IS NULL THEN 0 ELSE depth * 2 END WHERE id IN (1, 2);
DELETE FROM reading WHERE NOT EXISTS (SELECT 1 FROM harbour WHERE harbour.id = reading.harbour_id);
CREATE VIEW calm AS SELECT DISTINCT name FROM harbour UNION ALL SELECT "odd name" FROM other;
DROP TABLE IF EXISTS other;
